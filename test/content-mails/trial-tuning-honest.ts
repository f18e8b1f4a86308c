// Honest mails of today, written before the rules were changed; see trial-tuning-fraud.ts.

import { button, page, rows } from './layout.ts'
import type { Trial } from './trial.ts'

const frame = (brand: string, site: string, body: string, footer: string): string =>
  page({ preheader: `News from ${brand}`, brand, site, body, footer })

export const TUNING_HONEST: readonly Trial[] = [
  {
    name: 'password reset, German, html',
    subject: 'Passwort zurücksetzen',
    html: frame(
      'Lagerfuchs',
      'lagerfuchs.example',
      `<p>Hallo Jana,</p><p>du hast angefordert, dein Passwort zurückzusetzen. Klicke auf den Button, um ein neues zu vergeben. Der Link ist 60 Minuten gültig.</p>${button('https://app.lagerfuchs.example/reset/8f2', 'Neues Passwort vergeben')}<p>Wenn du das nicht warst, kannst du diese E-Mail ignorieren. Dein Passwort bleibt unverändert.</p>`,
      'Lagerfuchs GmbH, Leipzig',
    ),
    text: null,
  },
  {
    name: '2FA code, English, text',
    subject: '482 913 is your Brightdesk code',
    html: null,
    text: 'Hi Sam,\n\nYour verification code is 482 913. It expires in 10 minutes.\n\nIf you did not try to sign in, someone may know your password: change it at https://brightdesk.example/security. Never share this code with anyone.\n\nBrightdesk',
  },
  {
    name: 'receipt, French, html',
    subject: 'Reçu de votre paiement - commande 20931',
    html: frame(
      'Maison Tilleul',
      'maison-tilleul.example',
      `<p>Bonjour Claire,</p><p>Merci pour votre commande. Nous avons bien reçu votre paiement par carte bancaire.</p>${rows(
        [
          ['Thé vert sencha 100 g', '12,50 €'],
          ['Théière en fonte', '59,00 €'],
          ['Livraison', '4,90 €'],
          ['Total', '76,40 €'],
        ],
      )}<p>Votre colis partira demain. Vous recevrez un lien de suivi par e-mail.</p>`,
      'Maison Tilleul, 8 rue du Lac, Annecy. <a href="https://maison-tilleul.example/contact">Contact</a>',
    ),
    text: null,
  },
  {
    name: 'shipping, English, html',
    subject: 'Your package is out for delivery today',
    html: frame(
      'Northpine',
      'northpine.example',
      `<p>Hi Ellen,</p><p>Good news: your order NP-5512 is with UPS and will be delivered today between 2 pm and 6 pm. No signature is needed.</p>${button('https://northpine.example/orders/NP-5512/track', 'Track your package')}<p>Not at home? You can reschedule the delivery free of charge or pick the parcel up at an access point.</p>`,
      'Northpine Outfitters, Duluth MN',
    ),
    text: null,
  },
  {
    name: 'bank statement, English, text',
    subject: 'Your May statement is ready',
    senderName: 'Harbour Credit Union',
    senderDomain: 'harbourcu.example',
    html: null,
    text: 'Hello Mr Doyle,\n\nYour statement for account ending 4410 is now available in online banking. To view it, open the app or go to our website and sign in as usual. We never send links to the sign-in page and will never ask for your password or PIN by email.\n\nHarbour Credit Union',
  },
  {
    name: 'invitation, Spanish, text',
    subject: 'Invitación: 40 cumpleaños de Lucía',
    html: null,
    text: 'Hola a todos:\n\nEl sábado 14 de junio celebramos el cumpleaños de Lucía en la casa de campo de mis padres. Empezamos a las dos con una paella y habrá música por la noche. Decidme antes del día 5 si venís y si traéis niños. No hace falta regalo, pero estamos juntando dinero para una bicicleta; si queréis participar, hablad con Pablo.\n\n¡Un abrazo!\nMarina',
  },
  {
    name: 'invoice, German, text',
    subject: 'Rechnung RE-2026-1187',
    html: null,
    text: 'Sehr geehrter Herr Vogt,\n\nanbei erhalten Sie die Rechnung RE-2026-1187 über 1.428,00 EUR für die Wartung im April. Bitte überweisen Sie den Betrag bis zum 12. Juni auf das unten genannte Konto.\n\nIBAN: DE12 5001 0517 0648 4898 90\nVerwendungszweck: RE-2026-1187\n\nBei Fragen erreichen Sie uns unter 0351 555 0120.\n\nMit freundlichen Grüßen\nHeizungsbau Renner',
    attachments: [{ filename: 'RE-2026-1187.pdf', contentType: 'application/pdf' }],
  },
  {
    name: 'issue notification, English, html',
    subject: '[tidepool/engine] Crash when the config file is empty (#482)',
    senderName: 'Mira K',
    senderDomain: 'notifications.forge.example',
    html: '<p>When the config file exists but is empty, the process exits with an unhandled exception:</p><pre><code>TypeError: Cannot read properties of null (reading \'accounts\')\n    at load (config.ts:41)</code></pre><p>I expected the default values. Happy to send a fix.</p><p style="font-size:small;color:#666">—<br>Reply to this email directly, <a href="https://forge.example/tidepool/engine/issues/482">view it on Forge</a>, or <a href="https://forge.example/notifications/unsubscribe/AAX">unsubscribe</a>.<br>You are receiving this because you are subscribed to this thread.</p>',
    text: null,
  },
  {
    name: 'job application, English, text',
    subject: 'Application for the position of data analyst (ref. 2026-31)',
    html: null,
    text: 'Dear Ms Okafor,\n\nI am writing to apply for the position of data analyst that you advertised on your website. I have four years of experience in public health statistics, and I have attached my CV and two references.\n\nI would be glad to tell you more in an interview and could start on 1 September. My salary expectation is €54,000.\n\nYours sincerely\nTom Lindqvist',
    attachments: [{ filename: 'CV_Lindqvist.pdf', contentType: 'application/pdf' }],
  },
  {
    name: 'survey, French, html',
    subject: 'Votre avis compte : 3 minutes pour nous aider',
    html: frame(
      'Vélo Rivage',
      'velorivage.example',
      `<p>Bonjour Hugo,</p><p>Vous avez loué un vélo chez nous la semaine dernière. Pourriez-vous répondre à six questions ? Cela prend trois minutes, et vos réponses sont anonymes.</p>${button('https://velorivage.example/avis/77a', 'Donner mon avis')}<p>Parmi les réponses, nous tirons au sort un bon de 30 euros.</p>`,
      'Vélo Rivage, La Rochelle. <a href="https://velorivage.example/desinscription">Se désinscrire</a>',
    ),
    text: null,
  },
  {
    name: 'calendar invite, English, text',
    subject: 'Invitation: Q3 planning @ Tue 3 June 2026 10:00 - 11:00 (CEST)',
    html: null,
    text: 'You have been invited to the following event.\n\nQ3 planning\nWhen: Tue 3 June 2026 10:00 - 11:00 Central European Time\nWhere: https://meet.officebell.example/abc-defg\nWho: anna@harrowgate.example (organizer), ben@harrowgate.example\n\nPlease bring your estimates for the billing migration.\n\nGoing? Yes - Maybe - No',
    attachments: [{ filename: 'invite.ics', contentType: 'text/calendar' }],
  },
  {
    name: 'sale, German, html',
    subject: 'Nur noch bis Sonntag: 25 % auf alle Gartenmöbel',
    html: frame(
      'Grünholz',
      'gruenholz.example',
      `<h1>25 % auf alle Gartenmöbel</h1><p>Der Sommer kann kommen: Bis Sonntag, 23:59 Uhr, sparst du 25 % auf Tische, Bänke und Liegen. Der Rabatt wird im Warenkorb automatisch abgezogen, ab 80 € liefern wir versandkostenfrei.</p>${button('https://gruenholz.example/sale', 'Jetzt entdecken', '#3c7a3c')}<p>Schnell sein lohnt sich, solange der Vorrat reicht.</p>`,
      'Du bekommst diese E-Mail, weil du unseren Newsletter abonniert hast. <a href="https://gruenholz.example/abmelden">Abmelden</a>. Grünholz GmbH, Hamburg',
    ),
    text: null,
  },
  {
    name: 'charity appeal, English, html',
    subject: 'Will you help 400 families before winter?',
    html: frame(
      'Open Shelter',
      'openshelter.example',
      `<p>Dear Ruth,</p><p>Last winter your gift helped us to keep 212 families warm. This year more than 400 families in the valley have lost their homes in the flood, and the first frost is six weeks away.</p><p>£30 buys two blankets and a stove. £120 pays for a month in a safe flat. Every pound is matched until 31 October.</p>${button('https://openshelter.example/give', 'Donate now', '#b5342d')}<p>Thank you for whatever you can give.</p><p>Marian Todd, director</p>`,
      'Open Shelter is a registered charity (no. 1099999). <a href="https://openshelter.example/prefs">Manage your preferences or unsubscribe</a>',
    ),
    text: null,
  },
  {
    name: 'card expiring, English, html',
    subject: 'Your card on file expires next month',
    html: frame(
      'Stackline',
      'stackline.example',
      `<p>Hi Dana,</p><p>The Visa card ending 3307 that you use for your Stackline subscription expires on 30 June. To avoid an interruption, please add a new card before your next invoice on 4 July.</p>${button('https://app.stackline.example/billing', 'Update payment method')}<p>Only owners of the workspace can do this. Questions? Reply to this email.</p>`,
      'Stackline Inc., Denver CO',
    ),
    text: null,
  },
  {
    name: 'new device, Spanish, html',
    subject: 'Nuevo inicio de sesión en tu cuenta',
    html: frame(
      'Cuaderno',
      'cuaderno.example',
      `<p>Hola Inés:</p><p>Se ha iniciado sesión en tu cuenta desde un dispositivo nuevo.</p>${rows([
        ['Dispositivo', 'Firefox en Linux'],
        ['Lugar', 'Bilbao, España'],
        ['Fecha', '22 de mayo, 18:04'],
      ])}<p>Si has sido tú, no tienes que hacer nada. Si no reconoces esta actividad, cambia tu contraseña y cierra las demás sesiones.</p>${button('https://cuaderno.example/seguridad', 'Revisar la actividad')}`,
      'Cuaderno S.L., Bilbao',
    ),
    text: null,
  },
  {
    name: 'delivery problem, German, text',
    subject: 'Ihre Bestellung verzögert sich',
    html: null,
    text: 'Guten Tag Frau Seidel,\n\nleider verzögert sich die Lieferung Ihrer Bestellung 77120 um etwa drei Tage, da ein Artikel nicht rechtzeitig bei uns eingetroffen ist. Sie müssen nichts tun. Möchten Sie nicht warten, können Sie die Bestellung in Ihrem Kundenkonto kostenlos stornieren, wir erstatten den Betrag dann auf Ihre Kreditkarte.\n\nWir bitten um Entschuldigung.\nIhr Team von Papierhaus',
  },
  {
    name: 'supplier letter about bank change, English, text',
    subject: 'Change of our bank account - please verify by phone',
    html: null,
    text: 'Dear customer,\n\nas of 1 July we move our business account to Nordbank. You will find the new details on our next paper invoice. Please do not change anything because of this email alone: call your usual contact on the number you have on file and have the change confirmed.\n\nKind regards\nAstrid Falk, Falk Druck GmbH',
  },
  {
    name: 'newsletter about fraud, English, html',
    subject: 'How to spot a fake parcel message',
    html: frame(
      'Consumer Post',
      'consumerpost.example',
      '<h2>This week: parcel scams</h2><p>Criminals pretend to be DHL, UPS or Royal Mail and ask for a small fee before a parcel is delivered. The link leads to a page that steals your card details. Our advice: open the app of the carrier yourself, never follow the link, and never share a code that you did not ask for.</p><p><a href="https://consumerpost.example/guides/parcel">Read the full guide</a></p><h2>Ask Jo</h2><p>"I paid with a gift card, can I get my money back?" <a href="https://consumerpost.example/askjo/112">Jo answers</a></p>',
      'You are receiving this newsletter because you signed up at consumerpost.example. <a href="https://consumerpost.example/u">Unsubscribe</a>',
    ),
    text: null,
  },
  {
    name: 'crypto exchange statement, English, text',
    subject: 'Your monthly account statement',
    senderName: 'Kestrel Exchange',
    senderDomain: 'kestrel.example',
    html: null,
    text: 'Hi Anton,\n\nYour statement for May is ready. You bought 0.02 BTC and sold 1.5 ETH; the value of your portfolio on 31 May was €4,118.20. You can download the PDF under Profile, Statements. Crypto assets are volatile and you can lose your money.\n\nKestrel Exchange',
  },
  {
    name: 'webinar, French, html',
    subject: 'Rappel : webinaire demain à 14 h',
    html: frame(
      'Plume RH',
      'plumerh.example',
      `<p>Bonjour,</p><p>Vous êtes inscrit au webinaire « Télétravail : ce qui change en 2026 », demain à 14 h. Cliquez sur le bouton quelques minutes avant le début.</p>${button('https://plumerh.example/w/2026-06', 'Rejoindre le webinaire')}<p>Vous ne pouvez pas venir ? Vous recevrez l'enregistrement par e-mail.</p>`,
      'Plume RH, Lyon. <a href="https://plumerh.example/desabonner">Se désabonner</a>',
    ),
    text: null,
  },
  {
    name: 'school, Spanish, text',
    subject: 'Excursión del jueves: autorización y pago',
    html: null,
    text: 'Estimadas familias:\n\nEl jueves visitamos el museo de la ciencia con las clases de cuarto. La salida es a las 9:00 y la vuelta a las 16:30. Por favor, firmad la autorización y entregad los 12 euros en un sobre antes del martes. Los niños deben traer almuerzo y agua.\n\nUn saludo,\nSecretaría del colegio',
  },
  {
    name: 'trial ends, English, html',
    subject: 'Your free trial ends in 3 days',
    html: frame(
      'Quillbase',
      'quillbase.example',
      `<p>Hi Noor,</p><p>Your free trial of Quillbase Team ends on 27 May. If you do nothing, your workspace moves to the free plan: documents stay, but only three people can edit.</p><p>Upgrade before then and get 20% off the first year.</p>${button('https://quillbase.example/upgrade', 'Choose a plan')}`,
      'Quillbase, 77 Canal St, Utrecht. <a href="https://quillbase.example/emails">Unsubscribe</a>',
    ),
    text: null,
  },
  {
    name: 'colleague, English, text',
    subject: 'Numbers for tomorrow',
    html: null,
    text: 'Hi Ben,\n\nare you at your desk this afternoon? I would like to go through the figures for the board before tomorrow. Could you send me the invoice from Kelso as well, I cannot find it in the folder. And please transfer the room deposit today if you have not done it yet, they called again.\n\nThanks\nMaria',
  },
  {
    name: 'package pick-up, German, html',
    subject: 'Ihr Paket liegt zur Abholung bereit',
    senderName: 'Paketshop Linde',
    senderDomain: 'paketlinde.example',
    html: frame(
      'Paketshop Linde',
      'paketlinde.example',
      `<p>Guten Tag Herr Öztürk,</p><p>Ihr Paket liegt in unserem Shop in der Lindenallee 3 bereit. Bitte holen Sie es bis zum 30. Mai ab und bringen Sie den Abholcode <b>K4 118</b> und einen Ausweis mit.</p>${button('https://paketlinde.example/abholung/k4118', 'Öffnungszeiten ansehen')}`,
      'Paketshop Linde, Kassel',
    ),
    text: null,
  },
  {
    name: 'domain renewal, English, text',
    subject: 'Domain renewal notice: northpine.example expires in 30 days',
    html: null,
    text: 'Hello,\n\nthe domain northpine.example expires on 22 June. Auto-renew is on, so we will charge the card on file (€14.90) on 8 June and no action is required. To change the card or turn auto-renew off, sign in at https://registrar.example/domains.\n\nRegistrar Support',
  },
  {
    name: 'tax adviser, German, text',
    subject: 'Ihr Steuerbescheid 2025',
    html: null,
    text: 'Lieber Herr Brenner,\n\nheute ist Ihr Steuerbescheid für 2025 gekommen. Das Finanzamt ist unserer Erklärung gefolgt, Sie bekommen 612 Euro erstattet. Der Betrag wird in den nächsten zwei Wochen auf Ihr Konto überwiesen; Sie müssen nichts weiter tun. Den Bescheid finden Sie im Anhang.\n\nHerzliche Grüße\nPetra Wolf, Steuerberaterin',
    attachments: [{ filename: 'Bescheid.pdf', contentType: 'application/pdf' }],
  },
  {
    name: 'loyalty, English, html',
    subject: 'You have earned a £10 reward, Olivia',
    html: frame(
      'Greenlane Grocers',
      'greenlane.example',
      `<h1>£10 off your next shop</h1><p>Thank you for shopping with us this spring. You have collected 1,000 points, and we have turned them into a £10 voucher. Use the code at the checkout or scan it in store before 30 June.</p>${button('https://greenlane.example/rewards', 'See my rewards', '#2d7a3c')}<p>Terms apply. One voucher per order.</p>`,
      'Greenlane Grocers Ltd, Leeds. <a href="https://greenlane.example/u/1">Unsubscribe</a>',
    ),
    text: null,
  },
  {
    name: 'doctor, French, text',
    subject: 'Rappel de rendez-vous',
    html: null,
    text: "Bonjour,\n\nNous vous rappelons votre rendez-vous avec le Dr Aubry le mardi 3 juin à 9 h 20. Merci d'apporter votre carte Vitale et votre ordonnance. En cas d'empêchement, annulez au moins 24 heures à l'avance au 02 55 50 01 40.\n\nCabinet médical des Halles",
  },
  {
    name: 'release notes, English, text',
    subject: 'Version 4.2 is out',
    html: null,
    text: 'Hello,\n\nversion 4.2 is available. It brings faster search, two-factor authentication by security key, and fixes 38 bugs. The update is free for everybody with a valid licence. Release notes: https://docs.fjordtools.example/4.2\n\nIf you run the server edition, please read the notes on the database migration before you update.\n\nThe Fjord Tools team\nUnsubscribe: https://fjordtools.example/u/88',
  },
  {
    name: 'document to sign, English, html',
    subject: 'Please sign: tenancy agreement, 14 Mill Lane',
    html: frame(
      'Signwell Lettings',
      'signwell-lettings.example',
      `<p>Hi Jordan,</p><p>The tenancy agreement for 14 Mill Lane is ready. Please read it and sign it electronically by Friday; the landlord has signed already.</p>${button('https://signwell-lettings.example/d/3391', 'Review and sign')}<p>If anything is unclear, call Beth in our office on 01865 555 014.</p>`,
      'Signwell Lettings, Oxford',
    ),
    text: null,
  },
]
