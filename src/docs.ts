// The API document, and the documentation under /docs: a fixed list of pages, which are files of docs/ as they are in the
// repository, and the reference made from the served API document. A page is made once, at its first request.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Type } from 'typebox'
import { platformErrors } from './platform/errors.ts'
import { type DocsGroup, docsPage, markdownToHtml } from './platform/http/docs-page.ts'
import { type ReferenceDocument, referenceHtml } from './platform/http/docs-reference.ts'
import { type Answer, type AnyEndpoint, endpoint, typed } from './platform/http.ts'

const FOLDER = path.join(import.meta.dirname, '../docs')

interface Page {
  readonly slug: string
  readonly title: string
  /** Below docs/; null when made from the OpenAPI document. */
  readonly file: string | null
}

const guide = (slug: string, title: string): Page => ({ slug, title, file: `guides/${slug}.md` })
const paper = (slug: string, title: string): Page => ({ slug, title, file: `${slug}.md` })

const GROUPS: readonly (readonly [title: string, pages: readonly Page[]])[] = [
  [
    'Start',
    [
      guide('quick-start', 'Quick start'),
      guide('concepts', 'Concepts'),
      guide('first-domain', 'Your first domain'),
      guide('going-live', 'Going live'),
    ],
  ],
  [
    'Guides',
    [
      guide('using-the-api', 'Using the API'),
      guide('smtp-programs', 'Servers and programs that send by SMTP'),
      guide('webhooks', 'Webhooks'),
      guide('events', 'Events'),
      guide('double-opt-in', 'Contacts and double opt-in'),
      guide('moving-from-another-provider', 'Moving from another provider'),
      guide('scaling-out', 'Scaling out'),
    ],
  ],
  [
    'Reference',
    [
      { slug: 'api', title: 'API reference', file: null },
      paper('errors', 'Errors'),
      paper('plans', 'Plans and limits'),
      paper('risk', 'The verdict'),
      paper('content-scoring', 'Content scoring'),
      paper('validation', 'Address validation'),
    ],
  ],
  [
    'Operations',
    [
      paper('operations', 'Operations'),
      paper('config', 'Settings'),
      paper('metrics', 'Metrics'),
      paper('scaling', 'Sizing'),
      paper('performance', 'Performance'),
      paper('reliability', 'Reliability'),
      paper('security', 'Security'),
    ],
  ],
]

const PAGES = GROUPS.flatMap(([, pages]) => pages)
const NAVIGATION: readonly DocsGroup[] = GROUPS.map(([title, pages]) => ({
  title,
  links: pages.map((page) => ({ href: `/docs/${page.slug}`, title: page.title })),
}))
const FIRST = 'quick-start'

/** @param document returns the OpenAPI document; called when the reference is first read */
export function docsEndpoints(document: () => object): readonly AnyEndpoint[] {
  const made = new Map<string, Promise<Answer>>()
  const answer = (slug: string): Promise<Answer> => {
    const page = PAGES.find((one) => one.slug === slug)
    if (page === undefined) throw platformErrors.not_found()
    const known = made.get(slug) ?? makePage(page, document)
    made.set(slug, known)
    known.catch(() => made.delete(slug))
    return known
  }
  const described = { access: null, method: 'GET', tag: 'Operations' } as const
  const answers = { 200: typed('text/html') }
  return [
    endpoint({
      ...described,
      path: '/openapi.json',
      operationId: 'getOpenApiDocument',
      summary: 'Get this OpenAPI document',
      answers: { 200: Type.Record(Type.String(), Type.Unknown()) },
      handle: async () => ({ status: 200, body: document() }),
    }),
    endpoint({
      ...described,
      path: '/docs',
      operationId: 'getDocs',
      summary: 'Get the first page of the documentation',
      answers,
      handle: () => answer(FIRST),
    }),
    endpoint({
      ...described,
      path: '/docs/{page}',
      operationId: 'getDocsPage',
      summary: 'Get a page of the documentation',
      params: Type.Object({ page: Type.String() }),
      answers,
      errors: [platformErrors.not_found],
      handle: async ({ params }) => answer(params.page),
    }),
  ]
}

async function makePage({ slug, title, file }: Page, document: () => object): Promise<Answer> {
  const body =
    file === null
      ? referenceHtml(document() as ReferenceDocument)
      : markdownToHtml(await readFile(path.join(FOLDER, file), 'utf8'), (href) => linkFrom(file, href))
  return docsPage({ href: `/docs/${slug}`, title }, NAVIGATION, body)
}

/** A link in a file of docs/, converted for this site; null when its target is not one of the pages. */
function linkFrom(file: string, href: string): string | null {
  if (/^(?:[a-z]+:|\/|#)/i.test(href)) return href
  const [target = '', hash] = href.split('#', 2)
  const named = path.posix.join(path.posix.dirname(file), target)
  const page = PAGES.find((one) => one.file === named)
  if (page === undefined) return null
  return `/docs/${page.slug}${hash === undefined ? '' : `#${hash}`}`
}
