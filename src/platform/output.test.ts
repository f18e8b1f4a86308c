import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harmless } from './output.ts'

test('what others wrote does not steer a terminal, and keeps its letters and lines', () => {
  const mail = 'Subject: \x1b]0;title\x07\tGrüße\x9b31m\r\n\r\nx\0\x7f\ry'
  assert.equal(harmless(Buffer.from(mail)).toString(), 'Subject:  ]0;title \tGrüße 31m\n\nx   y\n')
})
