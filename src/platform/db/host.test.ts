import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnThisMachine } from './host.ts'

for (const [url, here] of [
  ['postgresql://u:p@localhost:5432/posthorn', true],
  ['postgres://u@LOCALHOST/posthorn', true],
  ['postgresql://u:p@127.0.0.1/posthorn?sslmode=disable', true],
  ['postgresql://u:p@[::1]:5432/posthorn', true],
  ['postgresql:///posthorn?host=/var/run/postgresql', true],
  ['postgresql://u@%2Fvar%2Frun%2Fpostgresql/posthorn', true],
  ['postgresql://u:p@db.example.com/posthorn', false],
  ['postgresql://u:p@10.0.0.5/posthorn', false],
  ['postgresql://u:p@127.example.com/posthorn', false],
  ['postgresql://u:p@localhost/posthorn?host=db.example.com', false],
  ['postgresql://u:p@a.example.com:5432,b.example.com:5432/posthorn', false],
] as const)
  test(`a database at ${url} is ${here ? 'on this machine' : 'elsewhere'}`, () => {
    assert.equal(isOnThisMachine(url), here)
  })
