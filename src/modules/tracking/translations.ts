// The texts of the tracking pages, in each language. Arguments are escaped HTML. The sentences are built so that the sender's
// name is never declined.

import type { InEachLanguage } from '../../platform/languages.ts'

export interface PageTexts {
  readonly unsubscribe: string
  readonly button: string
  readonly unsubscribed: string
  /**
   * A question: before the button is pressed, nothing has happened.
   *
   * @param sender null: unknown at the moment
   */
  readonly isWanted: (recipient: string, sender: string | null) => string
  /** @param sender null: unknown at the moment */
  readonly noMore: (recipient: string, sender: string | null) => string
  readonly onItsWay: string
  readonly stopped: string
}

export const PAGE_TEXTS: InEachLanguage<PageTexts> = {
  en: {
    unsubscribe: 'Unsubscribe',
    button: 'Unsubscribe',
    unsubscribed: 'You are unsubscribed',
    isWanted: (recipient, sender) =>
      `Do you want ${recipient} to receive no more mail from ${sender ?? 'this sender'}?`,
    noMore: (recipient, sender) => `${recipient} will no longer receive mail from ${sender ?? 'this sender'}.`,
    onItsWay: 'Emails that are already on their way may still arrive.',
    stopped: 'The sender of the email or the target of the link was blocked.',
  },
  de: {
    unsubscribe: 'Abmelden',
    button: 'Abmelden',
    unsubscribed: 'Sie sind abgemeldet',
    isWanted: (recipient, sender) =>
      `Möchten Sie, dass ${recipient} keine E-Mails mehr von ${sender ?? 'diesem Absender'} erhält?`,
    noMore: (recipient, sender) => `${recipient} wird keine E-Mails mehr von ${sender ?? 'diesem Absender'} erhalten.`,
    onItsWay: 'Eine E-Mail, die schon unterwegs ist, kann noch ankommen.',
    stopped: 'Der Absender der E-Mail oder das Ziel des Links wurde gesperrt.',
  },
  fr: {
    unsubscribe: 'Désabonnement',
    button: 'Se désabonner',
    unsubscribed: 'Désabonnement effectué',
    isWanted: (recipient, sender) =>
      `Souhaitez-vous que ${recipient} ne reçoive plus d’e-mails envoyés par ${sender ?? 'cet expéditeur'} ?`,
    noMore: (recipient, sender) => `${recipient} ne recevra plus d’e-mails envoyés par ${sender ?? 'cet expéditeur'}.`,
    onItsWay: 'Un e-mail déjà en route peut encore arriver.',
    stopped: 'L’expéditeur de l’e-mail ou la destination du lien a été bloqué.',
  },
  es: {
    unsubscribe: 'Darse de baja',
    button: 'Darse de baja',
    unsubscribed: 'Baja confirmada',
    isWanted: (recipient, sender) => `¿Quiere que ${recipient} no reciba más correos de ${sender ?? 'este remitente'}?`,
    noMore: (recipient, sender) => `${recipient} no recibirá más correos de ${sender ?? 'este remitente'}.`,
    onItsWay: 'Aún puede llegar algún correo que ya esté en camino.',
    stopped: 'Se ha bloqueado al remitente del correo o el destino del enlace.',
  },
  it: {
    unsubscribe: 'Annullamento dell’iscrizione',
    button: 'Annulla iscrizione',
    unsubscribed: 'Iscrizione annullata',
    isWanted: (recipient, sender) => `Vuole che ${recipient} non riceva più e-mail da ${sender ?? 'questo mittente'}?`,
    noMore: (recipient, sender) => `${recipient} non riceverà più e-mail da ${sender ?? 'questo mittente'}.`,
    onItsWay: 'Un’e-mail già in viaggio potrebbe ancora arrivare.',
    stopped: 'È stato bloccato il mittente dell’e-mail o la destinazione del link.',
  },
  pt: {
    unsubscribe: 'Cancelar a inscrição',
    button: 'Cancelar a inscrição',
    unsubscribed: 'Inscrição cancelada',
    isWanted: (recipient, sender) =>
      `Deseja que ${recipient} não receba mais e-mails enviados por ${sender ?? 'este remetente'}?`,
    noMore: (recipient, sender) => `${recipient} não receberá mais e-mails enviados por ${sender ?? 'este remetente'}.`,
    onItsWay: 'Um e-mail que já esteja a caminho ainda pode chegar.',
    stopped: 'O remetente do e-mail ou o destino do link foi bloqueado.',
  },
  nl: {
    unsubscribe: 'Afmelden',
    button: 'Afmelden',
    unsubscribed: 'U bent afgemeld',
    isWanted: (recipient, sender) =>
      `Wilt u dat ${recipient} geen e-mail meer ontvangt van ${sender ?? 'deze afzender'}?`,
    noMore: (recipient, sender) => `${recipient} zal geen e-mail meer ontvangen van ${sender ?? 'deze afzender'}.`,
    onItsWay: 'Een e-mail die al onderweg is, kan nog aankomen.',
    stopped: 'De afzender van de e-mail of het doel van de link is geblokkeerd.',
  },
  pl: {
    unsubscribe: 'Rezygnacja z wiadomości',
    button: 'Rezygnuję',
    unsubscribed: 'Rezygnacja przyjęta',
    isWanted: (recipient, sender) =>
      `Czy ${recipient} ma nie otrzymywać więcej wiadomości od ${sender === null ? 'tego nadawcy' : `nadawcy ${sender}`}?`,
    noMore: (recipient, sender) =>
      `${recipient} nie otrzyma więcej wiadomości od ${sender === null ? 'tego nadawcy' : `nadawcy ${sender}`}.`,
    onItsWay: 'Wiadomość, która została już wysłana, może jeszcze dotrzeć.',
    stopped: 'Nadawca wiadomości lub adres docelowy linku został zablokowany.',
  },
}
