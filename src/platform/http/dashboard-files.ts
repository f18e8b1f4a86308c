// The dashboard's files. Files with a hash in their name never change. The page itself is revalidated on each request, and
// is the same for every address of the dashboard: the browser decides which view it shows.

import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DRAFT_FRAME, DRAFT_FRAME_HEADERS } from './draft-frame.ts'

/** Only our own scripts, styles and images. Frames show mails, which carry a policy of their own. */
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
  // No text may become markup or a script, by whatever function of the browser; nothing here needs that.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** File names the build makes. Anything else (`%2f`, `..`) is not ours and never reaches the file system. */
const ASSET = /^\w[\w-]*(?:\.[\w-]+)*$/

export function arePagesBuilt(folder: string): boolean {
  return existsSync(path.join(folder, 'index.html'))
}

/**
 * @param addresses paths of the views, in Fastify's form
 * @param answerProgram answers a program that asks for a view's path but meant another API's; null: send the view
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
  app.get('/draft-frame', { schema: { hide: true } }, (_request, reply) =>
    reply.headers(DRAFT_FRAME_HEADERS).send(DRAFT_FRAME),
  )
  app.get('/favicon.svg', { schema: { hide: true } }, (_request, reply) => reply.sendFile('favicon.svg'))
}

/** Sends the page that serves every view; the browser decides which view it is. */
export function sendPage(reply: FastifyReply): FastifyReply {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) reply.header(name, value)
  return reply.sendFile('index.html', { cacheControl: false })
}

/** True for an address typed into a browser; false for a program's API call or a link followed from a mail. */
export function isTyped({ method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean {
  return (
    method === 'GET' && (headers.accept ?? '').includes('text/html') && !/^\/(?:api|track|assets|confirm)\//.test(url)
  )
}
