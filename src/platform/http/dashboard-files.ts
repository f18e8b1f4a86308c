// The dashboard's files. Names with a hash in them never change; the page itself is asked for anew each time, and is the
// same for every address of the dashboard: which view it is, the browser decides.

import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Scripts, styles and pictures of our own alone; frames show mails, which carry a policy of their own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** What the build names a file. Anything else (`%2f`, `..`) is no file of ours, and no matter for the file system. */
const ASSET = /^\w[\w-]*(?:\.[\w-]+)*$/

export function arePagesBuilt(folder: string): boolean {
  return existsSync(path.join(folder, 'index.html'))
}

/**
 * @param addresses of the views, Fastify's form
 * @param answerProgram what a program is answered at the address of a view, where it meant a path of another interface; null: the view
 */
export async function addPages(
  app: FastifyInstance,
  { folder, addresses }: { readonly folder: string; readonly addresses: readonly string[] },
  answerProgram: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    index: false,
  })
  for (const url of addresses) {
    app.get(url, { schema: { hide: true } }, (request, reply) => answerProgram(request, reply) ?? sendPage(reply))
  }
  app.get<{ Params: { name: string } }>('/assets/:name', { schema: { hide: true } }, ({ params: { name } }, reply) =>
    ASSET.test(name) ? reply.sendFile(`assets/${name}`, { maxAge: '365d', immutable: true }) : reply.callNotFound(),
  )
  app.get('/favicon.svg', { schema: { hide: true } }, (_request, reply) => reply.sendFile('favicon.svg'))
}

/** The page of every view; which one it is, the browser decides. */
export function sendPage(reply: FastifyReply): FastifyReply {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) reply.header(name, value)
  return reply.sendFile('index.html', { cacheControl: false })
}

/** Whether somebody typed an address into a browser, rather than a program called the API or a reader followed a link of a mail. */
export function isTyped({ method, url, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' && (headers.accept ?? '').includes('text/html') && !/^\/(?:api|track|assets|confirm)\//.test(url)
  )
}
