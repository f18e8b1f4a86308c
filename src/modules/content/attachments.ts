// Rules about attachments, by name and type: what large mailbox providers reject outright, and what disguises itself.

import type { Finding } from './finding.ts'
import type { ContentAttachment } from './types.ts'

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** File extensions that Gmail and Outlook reject, whatever the content. */
const PROGRAMS =
  set(`ade adp apk appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpkg dll dmg ex ex_ exe hta img
  ins iso isp jar jnlp js jse lib lnk mde mjs msc msi msix msixbundle msp mst nsh pif ps1 psm1 reg scr sct shb sys url vb
  vbe vbs vhd vhdx vxd wsc wsf wsh xll one`)
const MACROS = set('docm dotm xlsm xltm xlam xlsb pptm potm ppam ppsm sldm')
const PAGES = set('html htm shtml xhtml mht mhtml svg')
const ARCHIVES = set('zip rar 7z gz tgz tar bz2 xz ace arj z lzh uue')
const HARMLESS = set('pdf doc docx xls xlsx ppt pptx jpg jpeg png gif txt csv rtf odt ods mp3 mp4 eml ics')
const PROGRAM_TYPES =
  /^application\/(?:x-msdownload|x-msdos-program|x-dosexec|vnd\.microsoft\.portable-executable|x-sh|hta|javascript|java-archive|x-ms-installer)|^text\/javascript/i
const BIDI = /[\u202a-\u202e\u2066-\u2069]/
const MAX_NAME_CHARS = 1_024

/** Names of recordings and faxes, which are never pages: `VM_0043.html`. */
const RECORDING = /^(?:vm|vn|voice|voicemail|voicemessage|audio|fax|efax)(?:[^a-z]|$)/

/** @param promised the mail announces a recording or a fax, which is never a page */
export function attachmentFindings(attachments: readonly ContentAttachment[], promised = false): Finding[] {
  const findings = new Map<string, Finding>()
  for (const attachment of attachments) {
    const finding = findingOf(attachment, promised)
    if (finding !== null && !findings.has(finding.rule)) findings.set(finding.rule, finding)
  }
  return [...findings.values()]
}

function findingOf({ filename, contentType }: ContentAttachment, promised: boolean): Finding | null {
  const name = (filename ?? '')
    .slice(0, MAX_NAME_CHARS)
    .trim()
    .replace(/[. ]+$/, '')
    .toLowerCase()
  const parts = name.split('.').map((part) => part.trim())
  const last = parts.length > 1 ? (parts.at(-1) ?? '') : ''
  const before = parts.length > 2 ? (parts.at(-2) ?? '') : ''
  const make = (rule: string, points: number, fraud: number, description: string, suggestion: string): Finding => ({
    ...{ rule, points, fraud, description, suggestion, offset: null, match: filename ?? contentType ?? '' },
    ...{ category: 'attachments', location: 'header' },
  })
  const link = 'Put it on a page and link to that'
  if (BIDI.test(name))
    return make('attachment_disguised', 45, 2, 'A file name turns its letters round', 'Give the file a plain name')
  if (PROGRAMS.has(last)) {
    if (HARMLESS.has(before)) return make('attachment_double_ending', 50, 2, 'A program is named like a document', link)
    return make('attachment_program', 40, 2, 'The big mail providers refuse attachments of this kind', link)
  }
  if (PROGRAM_TYPES.test(contentType ?? ''))
    return make('attachment_program', 40, 2, 'The big mail providers refuse programs', link)
  if (MACROS.has(last))
    return make('attachment_macros', 22, 2, 'A document that may run programs', 'Send it without macros, or as a PDF')
  if (PAGES.has(last)) {
    const points = promised || RECORDING.test(name) ? 44 : 14
    return make('attachment_page', points, 2, 'An attached page is how passwords are stolen', link)
  }
  if (ARCHIVES.has(last)) {
    if (HARMLESS.has(before))
      return make('attachment_double_ending', 22, 2, 'An archive is named like a document', 'Name it for what it is')
    return make(
      'attachment_archive',
      6,
      1,
      'Filters distrust archives, for they cannot always look inside',
      'Attach the files themselves',
    )
  }
  return null
}
