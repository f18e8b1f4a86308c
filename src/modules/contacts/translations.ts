// Texts of the confirmation pages and the built-in confirmation mail, in each language. Arguments for a page are escaped
// HTML; a mail escapes its text as a whole. Senders' names are never declined: the sentences are built to avoid that.

import type { InEachLanguage } from '../../platform/languages.ts'

export interface PageTexts {
  readonly pleaseConfirm: string
  readonly question: (sender: string, recipient: string) => string
  readonly yes: string
  readonly orClose: string
  readonly subscribed: string
  readonly gets: (sender: string, recipient: string) => string
  readonly refused: (sender: string, recipient: string) => string
  readonly tooOld: string
  readonly signUpAgain: string
  readonly tryAgain: string
  readonly cannotAnswer: string
}

export interface EmailTexts {
  readonly subject: (sender: string) => string
  readonly asked: (sender: string) => string
  readonly open: string
  readonly button: string
  /** @param days 2 or more */
  readonly lives: (days: number) => string
  readonly ignored: string
}

export const PAGE_TEXTS: InEachLanguage<PageTexts> = {
  en: {
    pleaseConfirm: 'Please confirm',
    question: (sender, recipient) => `${sender} would like to send mail to ${recipient}. Do you want to receive it?`,
    yes: 'Yes, I want it',
    orClose: 'If not, just close this page: nothing has been changed.',
    subscribed: 'You are subscribed',
    gets: (sender, recipient) =>
      `${recipient} will receive mail from ${sender}. Every email tells you how to unsubscribe.`,
    refused: (sender, recipient) =>
      `${recipient} does not receive mail from ${sender}: mail to this address was blocked after this link was sent. To receive mail again, contact ${sender}; signing up again is not enough.`,
    tooOld: 'This link has expired',
    signUpAgain: 'Sign up again to get a new one.',
    tryAgain: 'Please try again',
    cannotAnswer: 'The service is temporarily unavailable.',
  },
  de: {
    pleaseConfirm: 'Bitte bestätigen',
    question: (sender, recipient) =>
      `${sender} möchte E-Mails an ${recipient} senden. Möchten Sie diese E-Mails erhalten?`,
    yes: 'Ja, ich möchte',
    orClose: 'Wenn nicht, schließen Sie diese Seite: Es wurde nichts geändert.',
    subscribed: 'Sie sind angemeldet',
    gets: (sender, recipient) =>
      `${recipient} erhält E-Mails von ${sender}. In jeder dieser E-Mails steht, wie Sie sich wieder abmelden.`,
    refused: (sender, recipient) =>
      `${recipient} erhält keine E-Mails von ${sender}: Sie wurden abgelehnt, nachdem dieser Link verschickt war. Um wieder E-Mails zu erhalten, wenden Sie sich an ${sender}: Eine Anmeldung allein hebt die Ablehnung nicht auf.`,
    tooOld: 'Dieser Link ist abgelaufen',
    signUpAgain: 'Melden Sie sich noch einmal an, um einen neuen zu erhalten.',
    tryAgain: 'Bitte versuchen Sie es noch einmal',
    cannotAnswer: 'Der Dienst kann gerade nicht antworten.',
  },
  fr: {
    pleaseConfirm: 'Veuillez confirmer',
    question: (sender, recipient) =>
      `${sender} souhaite envoyer des e-mails à ${recipient}. Souhaitez-vous les recevoir\u00a0?`,
    yes: 'Oui, je le souhaite',
    orClose: 'Sinon, fermez cette page\u00a0: rien n’a été modifié.',
    subscribed: 'Inscription confirmée',
    gets: (sender, recipient) =>
      `${recipient} recevra des e-mails envoyés par ${sender}. Chacun d’eux indique comment se désabonner.`,
    refused: (sender, recipient) =>
      `${recipient} ne reçoit pas d’e-mails envoyés par ${sender}\u00a0: ils ont été refusés après l’envoi de ce lien. Pour en recevoir de nouveau, adressez-vous à ${sender}\u00a0: une inscription seule n’annule pas un refus.`,
    tooOld: 'Ce lien a expiré',
    signUpAgain: 'Inscrivez-vous de nouveau pour en recevoir un autre.',
    tryAgain: 'Veuillez réessayer',
    cannotAnswer: 'Le service ne peut pas répondre pour le moment.',
  },
  es: {
    pleaseConfirm: 'Por favor, confirme',
    question: (sender, recipient) => `${sender} desea enviar correos a ${recipient}. ¿Desea recibirlos?`,
    yes: 'Sí, deseo recibirlos',
    orClose: 'Si no, cierre esta página: no se ha cambiado nada.',
    subscribed: 'Suscripción confirmada',
    gets: (sender, recipient) =>
      `${recipient} recibirá correos de ${sender}. Cada uno de ellos indica cómo darse de baja.`,
    refused: (sender, recipient) =>
      `${recipient} no recibe correos de ${sender}: se rechazaron después de enviarse este enlace. Para volver a recibirlos, diríjase a ${sender}: suscribirse de nuevo no basta para anular el rechazo.`,
    tooOld: 'Este enlace ha caducado',
    signUpAgain: 'Suscríbase de nuevo para recibir otro.',
    tryAgain: 'Inténtelo de nuevo',
    cannotAnswer: 'El servicio no puede responder en este momento.',
  },
  it: {
    pleaseConfirm: 'Conferma richiesta',
    question: (sender, recipient) => `${sender} desidera inviare e-mail a ${recipient}. Desidera riceverle?`,
    yes: 'Sì, desidero riceverle',
    orClose: 'Altrimenti chiuda questa pagina: non è stato modificato nulla.',
    subscribed: 'Iscrizione confermata',
    gets: (sender, recipient) =>
      `${recipient} riceverà e-mail da ${sender}. Ognuna di esse indica come annullare l’iscrizione.`,
    refused: (sender, recipient) =>
      `${recipient} non riceve e-mail da ${sender}: sono state rifiutate dopo l’invio di questo link. Per riceverle di nuovo, si rivolga a ${sender}: una nuova iscrizione da sola non annulla il rifiuto.`,
    tooOld: 'Questo link è scaduto',
    signUpAgain: 'Si iscriva di nuovo per riceverne un altro.',
    tryAgain: 'Si prega di riprovare',
    cannotAnswer: 'Il servizio al momento non può rispondere.',
  },
  pt: {
    pleaseConfirm: 'Por favor, confirme',
    question: (sender, recipient) => `${sender} deseja enviar e-mails para ${recipient}. Deseja recebê-los?`,
    yes: 'Sim, desejo recebê-los',
    orClose: 'Caso contrário, feche esta página: nada foi alterado.',
    subscribed: 'Inscrição confirmada',
    gets: (sender, recipient) =>
      `${recipient} receberá e-mails enviados por ${sender}. Cada um deles indica como cancelar a inscrição.`,
    refused: (sender, recipient) =>
      `${recipient} não recebe e-mails enviados por ${sender}: foram recusados depois do envio deste link. Para voltar a recebê-los, fale com ${sender}: uma nova inscrição, por si só, não anula a recusa.`,
    tooOld: 'Este link expirou',
    signUpAgain: 'Inscreva-se novamente para receber outro.',
    tryAgain: 'Tente novamente',
    cannotAnswer: 'O serviço não pode responder neste momento.',
  },
  nl: {
    pleaseConfirm: 'Graag bevestigen',
    question: (sender, recipient) => `${sender} wil e-mail sturen naar ${recipient}. Wilt u die ontvangen?`,
    yes: 'Ja, dat wil ik',
    orClose: 'Zo niet, sluit dan deze pagina: er is niets gewijzigd.',
    subscribed: 'U bent aangemeld',
    gets: (sender, recipient) =>
      `${recipient} ontvangt e-mail van ${sender}. In elk van deze e-mails staat hoe u zich weer afmeldt.`,
    refused: (sender, recipient) =>
      `${recipient} ontvangt geen e-mail van ${sender}: die is geweigerd nadat deze link was verstuurd. Neem contact op met ${sender} om weer e-mail te ontvangen: alleen aanmelden maakt de weigering niet ongedaan.`,
    tooOld: 'Deze link is verlopen',
    signUpAgain: 'Meld u opnieuw aan om een nieuwe te ontvangen.',
    tryAgain: 'Probeer het opnieuw',
    cannotAnswer: 'De dienst kan op dit moment niet antwoorden.',
  },
  pl: {
    pleaseConfirm: 'Prosimy o potwierdzenie',
    question: (sender, recipient) =>
      `${sender} chce wysyłać wiadomości na adres ${recipient}. Czy chcą Państwo je otrzymywać?`,
    yes: 'Tak, chcę',
    orClose: 'Jeśli nie, wystarczy zamknąć tę stronę: nic nie zostało zmienione.',
    subscribed: 'Subskrypcja potwierdzona',
    gets: (sender, recipient) =>
      `${recipient} będzie otrzymywać wiadomości od nadawcy ${sender}. W każdej z nich jest informacja, jak z nich zrezygnować.`,
    refused: (sender, recipient) =>
      `${recipient} nie otrzymuje wiadomości od nadawcy ${sender}: po wysłaniu tego linku odmówiono ich przyjmowania. Aby znów je otrzymywać, należy zwrócić się do nadawcy ${sender}: sam zapis nie cofa odmowy.`,
    tooOld: 'Ten link wygasł',
    signUpAgain: 'Aby otrzymać nowy, należy zapisać się ponownie.',
    tryAgain: 'Prosimy spróbować ponownie',
    cannotAnswer: 'Usługa nie może teraz odpowiedzieć.',
  },
}

export const EMAIL_TEXTS: InEachLanguage<EmailTexts> = {
  en: {
    subject: (sender) => `Please confirm: mail from ${sender}`,
    asked: (sender) => `Someone, most likely you, signed this address up for mail from ${sender}.`,
    open: 'To confirm, open this link and click the button on the page:',
    button: 'Confirm',
    lives: (days) => `The link works for ${days} days.`,
    ignored: 'If this was not you, ignore this email: without a confirmation you will not receive any more.',
  },
  de: {
    subject: (sender) => `Bitte bestätigen: E-Mails von ${sender}`,
    asked: (sender) => `Jemand, wahrscheinlich Sie selbst, hat für diese Adresse E-Mails von ${sender} angefordert.`,
    open: 'Öffnen Sie zum Bestätigen diesen Link und drücken Sie dort auf die Schaltfläche:',
    button: 'Bestätigen',
    lives: (days) => `Der Link gilt ${days} Tage.`,
    ignored: 'Wenn Sie das nicht waren, tun Sie nichts: Ohne Bestätigung erhalten Sie nichts weiter.',
  },
  fr: {
    subject: (sender) => `Veuillez confirmer\u00a0: e-mails de ${sender}`,
    asked: (sender) =>
      `Quelqu’un, sans doute vous-même, a demandé à recevoir à cette adresse des e-mails envoyés par ${sender}.`,
    open: 'Pour confirmer, ouvrez ce lien et appuyez sur le bouton de la page\u00a0:',
    button: 'Confirmer',
    lives: (days) => `Ce lien est valable ${days} jours.`,
    ignored: 'Si ce n’était pas vous, ne faites rien\u00a0: sans confirmation, vous ne recevrez rien de plus.',
  },
  es: {
    subject: (sender) => `Por favor, confirme: correos de ${sender}`,
    asked: (sender) => `Alguien, probablemente usted, ha solicitado recibir en esta dirección correos de ${sender}.`,
    open: 'Para confirmarlo, abra este enlace y pulse el botón de la página:',
    button: 'Confirmar',
    lives: (days) => `El enlace es válido durante ${days} días.`,
    ignored: 'Si no ha sido usted, no haga nada: sin confirmación no recibirá nada más.',
  },
  it: {
    subject: (sender) => `Conferma richiesta: e-mail da ${sender}`,
    asked: (sender) =>
      `È stato chiesto, molto probabilmente da Lei, di inviare a questo indirizzo e-mail da ${sender}.`,
    open: 'Per confermare, apra questo link e prema il pulsante nella pagina:',
    button: 'Conferma',
    lives: (days) => `Il link è valido per ${days} giorni.`,
    ignored: 'Se la richiesta non è Sua, non faccia nulla: senza conferma non riceverà altro.',
  },
  pt: {
    subject: (sender) => `Por favor, confirme: e-mails de ${sender}`,
    asked: (sender) => `Foi pedido o envio para este endereço de e-mails de ${sender}.`,
    open: 'Para confirmar, abra este link e pressione o botão da página:',
    button: 'Confirmar',
    lives: (days) => `O link é válido por ${days} dias.`,
    ignored: 'Se não fez este pedido, não faça nada: sem confirmação, não receberá mais nada.',
  },
  nl: {
    subject: (sender) => `Graag bevestigen: e-mail van ${sender}`,
    asked: (sender) => `Iemand, waarschijnlijk u zelf, heeft voor dit adres e-mail van ${sender} aangevraagd.`,
    open: 'Open om te bevestigen deze link en druk daar op de knop:',
    button: 'Bevestigen',
    lives: (days) => `De link werkt ${days} dagen.`,
    ignored: 'Was u dit niet, doe dan niets: zonder bevestiging ontvangt u niets meer.',
  },
  pl: {
    subject: (sender) => `Prosimy o potwierdzenie: wiadomości od nadawcy ${sender}`,
    asked: (sender) => `Otrzymaliśmy prośbę o wysyłanie na ten adres wiadomości od nadawcy ${sender}.`,
    open: 'Aby potwierdzić, należy otworzyć ten link i nacisnąć przycisk na stronie:',
    button: 'Potwierdzam',
    lives: (days) => `Link jest ważny ${days} dni.`,
    ignored: 'Jeśli to pomyłka, nie trzeba nic robić: bez potwierdzenia nie przyjdzie już żadna wiadomość.',
  },
}
