// The inbox as one plain page. The key stays in the page's memory. A mail is shown in a frame that can neither run scripts
// nor load anything. All text is inserted as text, never as markup.

import { sourceHash } from '../../platform/http.ts'

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; color: #1c1c22; }
h1 { font-size: 1.3rem; } form { display: flex; gap: .5rem; } input { flex: 1; font: inherit; padding: .4rem; }
button { font: inherit; padding: .4rem .8rem; } ul { list-style: none; padding: 0; }
li button { width: 100%; text-align: left; border: 0; border-bottom: 1px solid #ddd; background: none; cursor: pointer; }
li button:hover, li button:focus { background: #f2f4f8; } small { color: #5c5c68; display: block; }
iframe { width: 100%; height: 24rem; border: 1px solid #ccc; } pre { white-space: pre-wrap; border: 1px solid #ccc; padding: .6rem; }
`

const SCRIPT = `
const get = (id) => document.getElementById(id)
let key = ''
async function ask(path) {
  const answer = await fetch(path, { headers: { 'x-api-key': key } })
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.error)
  return body
}
async function show(id) {
  const { data } = await ask('/api/v1/inbox/' + id)
  get('subject').textContent = data.subject
  get('about').textContent = data.from + ' to ' + data.to + ', ' + data.received_at
  get('frame').hidden = data.html === null
  get('frame').srcdoc = data.html ?? ''
  get('text').textContent = data.text ?? ''
  get('mail').hidden = false
}
async function load() {
  const { data, pagination } = await ask('/api/v1/inbox?limit=50')
  get('state').textContent = pagination.total + ' mails, the newest first'
  get('list').replaceChildren(...data.map((mail) => {
    const item = document.createElement('li')
    const button = document.createElement('button')
    const about = document.createElement('small')
    button.textContent = mail.subject === '' ? '(no subject)' : mail.subject
    about.textContent = mail.from + ' to ' + mail.to + ', ' + mail.received_at
    button.append(about)
    button.addEventListener('click', () => show(mail.id).catch(fail))
    item.append(button)
    return item
  }))
}
function fail(error) { get('state').textContent = error.message }
get('form').addEventListener('submit', (event) => {
  event.preventDefault()
  key = get('key').value.trim()
  load().catch(fail)
})
`

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Inbox - Posthorn</title><style>${STYLE}</style></head>
<body>
<h1>Posthorn: sandbox inbox</h1>
<form id="form"><label for="key">API key</label><input id="key" type="password" autocomplete="off" required><button>Show</button></form>
<p id="state" role="status"></p>
<ul id="list"></ul>
<section id="mail" hidden>
<h2 id="subject"></h2><p id="about"></p>
<iframe id="frame" sandbox="" title="The mail as html"></iframe>
<pre id="text"></pre>
</section>
<script>${SCRIPT}</script>
</body>
</html>
`

// The frame inherits this policy: it shows a mail's own styles and embedded images and fetches nothing.
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${sourceHash(SCRIPT)}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export function inboxPage(): string {
  return PAGE
}
