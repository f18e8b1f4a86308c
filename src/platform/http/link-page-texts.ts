// Texts that the link pages of several rooms share, in each language.

import type { InEachLanguage } from '../languages.ts'

export interface LinkPageTexts {
  readonly notWorking: string
  readonly maybeCut: string
  readonly switchedOff: string
  readonly nothingChanged: string
}

export const LINK_PAGE_TEXTS: InEachLanguage<LinkPageTexts> = {
  en: {
    notWorking: 'This link does not work',
    maybeCut: 'It may have been cut off when it was copied.',
    switchedOff: 'This link is disabled',
    nothingChanged: 'Nothing was changed',
  },
  de: {
    notWorking: 'Dieser Link funktioniert nicht',
    maybeCut: 'Vielleicht wurde er beim Kopieren abgeschnitten.',
    switchedOff: 'Dieser Link wurde abgeschaltet',
    nothingChanged: 'Es wurde nichts geändert',
  },
  fr: {
    notWorking: 'Ce lien ne fonctionne pas',
    maybeCut: 'Il a peut-être été coupé lors de la copie.',
    switchedOff: 'Ce lien a été désactivé',
    nothingChanged: 'Rien n’a été modifié',
  },
  es: {
    notWorking: 'Este enlace no funciona',
    maybeCut: 'Quizá se cortó al copiarlo.',
    switchedOff: 'Este enlace se ha desactivado',
    nothingChanged: 'No se ha cambiado nada',
  },
  it: {
    notWorking: 'Questo link non funziona',
    maybeCut: 'Forse è stato troncato durante la copia.',
    switchedOff: 'Questo link è stato disattivato',
    nothingChanged: 'Non è stato modificato nulla',
  },
  pt: {
    notWorking: 'Este link não funciona',
    maybeCut: 'Talvez tenha sido cortado ao ser copiado.',
    switchedOff: 'Este link foi desativado',
    nothingChanged: 'Nada foi alterado',
  },
  nl: {
    notWorking: 'Deze link werkt niet',
    maybeCut: 'Misschien is hij bij het kopiëren afgebroken.',
    switchedOff: 'Deze link is uitgeschakeld',
    nothingChanged: 'Er is niets gewijzigd',
  },
  pl: {
    notWorking: 'Ten link nie działa',
    maybeCut: 'Być może został ucięty podczas kopiowania.',
    switchedOff: 'Ten link został wyłączony',
    nothingChanged: 'Nic nie zostało zmienione',
  },
}
