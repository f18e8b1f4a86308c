// The features of a text by name, which scoring counts by hash: words, pairs of adjacent words, classes.

import { folding, KIND } from '../../src/modules/content/fold.ts'
import { hashOf } from '../../src/modules/content/hash.ts'
import { readHtml } from '../../src/modules/content/html.ts'
import { Reader } from '../../src/modules/content/reader.ts'
import { CLASS, type Class } from '../../src/modules/content/word-events.ts'

const CLASS_NAMES = Object.keys(CLASS)

/** In order, with repetitions. */
export function featuresOf(mail: {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}): string[] {
  const features: string[] = []
  let part = ''
  let before = ''
  const reader = new Reader({
    word: (hash: number, length: number, start: number, end: number, kind: Class) => {
      if (kind !== CLASS.word) {
        features.push(`#${CLASS_NAMES[kind]}`)
        before = ''
        return
      }
      const name = fold(part.slice(start, end), length)
      // An obfuscated word has another hash than its letters.
      if (hashOf(name) !== hash) {
        before = ''
        return
      }
      features.push(name)
      if (before !== '') features.push(`${before} ${name}`)
      before = name
    },
    sentence: () => {
      before = ''
    },
    sign: () => undefined,
    knows: () => false,
  })
  const read = (text: string, run: () => void): void => {
    part = text
    before = ''
    reader.begin(text)
    run()
    reader.breakSentence()
  }
  read(mail.subject, () => reader.run(0, mail.subject.length))
  const { html, text } = mail
  if (html !== null) read(html, () => void readHtml(html, reader))
  else if (text !== null) read(text, () => reader.run(0, text.length))
  return features
}

function fold(text: string, length: number): string {
  const { folded, kind } = folding()
  let name = ''
  for (let i = 0; i < text.length && name.length < length; i++) {
    const code = text.charCodeAt(i)
    if (kind[code] === KIND.latin || kind[code] === KIND.letter) name += String.fromCharCode(folded[code] as number)
    else if (kind[code] === KIND.digit) name += text[i]
  }
  return name
}

const BARRED = new Set(
  `#url #email #host #number #money #percent #phone january february march april may june july august september october november december jan feb
  mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat
  sun am pm est edt pst pdt gmt ist cet spamassassin razor exmh zzzz yyyy jm jmason ilug fork rpm freshrpms sourceforge
  mailman listinfo perl debian redhat slashdot osdn geek thinkgeek xent yahoogroups egroups groups yahoo hotmail aol msn
  netscape lycos juno outlook eudora mozilla kde gnome osama bush iraq enron saddam kyoto habeas nbsp xxxxx url http www
  com net org html htm php asp cgi mailto img src href font webmaster supplied hettinga rahettinga zdnet cnet lockergnome
  infoworld gartner macromedia clinton september11 nigeria dvd vhs palm napster pda y2k modem dial fax cdrom floppy
  walkman pager linux unix gpl kernel mhz celeron pentium xp matthias haase garrigues kurzweil tim peters guido begg
  adam beberg craig hughes quinlan justin mason deersoft ciaran niall harri haataja damien chris rob kevin tom joe brian
  john michael mike dave david mark james bill steve robert elias bitbitch geege kragen owen byrne eirikur rohit khare
  ireland dublin irish melbourne`.split(/\s+/),
)

/** Words that identify a period, a list, a person or a mailer, not a subject; pairs with such a word too. */
export function isBarred(name: string): boolean {
  return name
    .split(' ')
    .some(
      (word) =>
        BARRED.has(word) ||
        (word.length === 1 && word !== 'i' && word !== 'a') ||
        /\d/.test(word) ||
        word.length > 24 ||
        /[^a-z#]/.test(word),
    )
}
