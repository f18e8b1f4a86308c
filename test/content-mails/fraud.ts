// Fraud as it is sent today, in four languages, with hosts that do not exist. Written for the test.

import { button, type Mail, page } from './layout.ts'

const bare = (body: string): string => `<html><body style="font-family:Arial">${body}</body></html>`

export const FRAUDULENT: readonly Mail[] = [
  {
    name: 'parcel fee, English',
    subject: 'Your package is waiting for delivery',
    html: page({
      ...{ preheader: 'Action needed', brand: 'Delivery', site: 'dhl-redelivery.example' },
      body: `<p>Dear customer,</p><p>Your package could not be delivered because a customs fee of 1.99 EUR has not been paid. Please pay the outstanding fee within 48 hours, otherwise your parcel will be returned to the sender.</p>${button('https://dhl-redelivery.example/pay', 'Pay now and reschedule delivery', '#ffcc00')}`,
      footer: 'DHL Express International',
    }),
    text: null,
  },
  {
    name: 'parcel fee, German',
    subject: 'Sendung konnte nicht zugestellt werden',
    html: bare(
      `<p>Sehr geehrter Kunde,</p><p>Ihr Paket mit der Nummer 00340434 wird in unserem Verteilzentrum zurückgehalten, da die Zollgebühren in Höhe von 2,99 € noch nicht bezahlt wurden.</p><p>Bitte begleichen Sie den Betrag innerhalb von 24 Stunden, sonst geht die Sendung an den Absender zurück.</p><p><a href="https://paket-zoll-service.example/bezahlen">Jetzt bezahlen</a></p><p>Ihr DHL Team</p>`,
    ),
    text: null,
  },
  {
    name: 'bank, German',
    subject: 'Wichtige Mitteilung: Ihr pushTAN-Verfahren läuft ab',
    html: page({
      ...{ preheader: 'Handlungsbedarf', brand: 'Sparkasse', site: 'kunden-verifizierung.example' },
      body: `<p>Sehr geehrte Kundin, sehr geehrter Kunde,</p><p>im Rahmen der neuen Sicherheitsrichtlinie müssen alle Kunden der Sparkasse ihre Daten abgleichen. Bitte bestätigen Sie Ihre Daten umgehend, da Ihr Zugang zum Online-Banking sonst gesperrt wird.</p>${button('https://kunden-verifizierung.example/sparkasse', 'Jetzt verifizieren', '#ff0000')}<p>Ohne Bestätigung wird eine Gebühr von 79,95 € fällig.</p>`,
      footer: 'Sparkassen-Finanzgruppe',
    }),
    text: null,
  },
  {
    name: 'account limited, English',
    subject: 'Your account access has been limited',
    html: page({
      ...{ preheader: 'We noticed unusual activity', brand: 'PayPaI', site: 'service-center-review.example' },
      body: `<p>Hello,</p><p>We noticed unusual activity in your PayPal account and have limited access until you confirm your identity. You won't be able to send money until you verify your information.</p>${button('https://paypal.account-review.example/signin', 'Restore account access')}<p>If you do not respond within 24 hours, your account will be permanently closed.</p>`,
      footer: 'Please do not reply to this email.',
    }),
    text: null,
  },
  {
    name: 'streaming payment, French',
    subject: 'Votre abonnement a été suspendu',
    html: bare(
      `<p>Cher client,</p><p>Nous n'avons pas pu prélever le montant de votre abonnement Netflix. Votre compte a été suspendu. Pour continuer à profiter du service, mettez à jour vos informations de paiement sous 24 heures.</p><p><a href="https://netflix-renouvellement.example/fr">Mettre à jour mon compte</a></p><p>Sans action de votre part, votre compte sera définitivement supprimé.</p>`,
    ),
    text: null,
  },
  {
    name: 'tax refund, French',
    subject: 'Remboursement d’impôt en attente',
    html: bare(
      `<p>Cher contribuable,</p><p>Après les derniers calculs de l'exercice de votre activité, nous avons déterminé que vous êtes éligible à recevoir un remboursement d'impôt de 235,80 €. Pour percevoir votre remboursement, veuillez remplir le formulaire et confirmer vos coordonnées bancaires dans les 48 heures.</p><p><a href="https://bit.ly/3remb">Accéder au formulaire de remboursement</a></p><p>Direction générale des finances publiques</p>`,
    ),
    text: null,
  },
  {
    name: 'bank, Spanish',
    subject: 'Aviso de seguridad: su cuenta ha sido bloqueada',
    html: bare(
      `<p>Estimado cliente,</p><p>Hemos detectado un acceso no autorizado a su cuenta BBVA. Por su seguridad, su tarjeta ha sido bloqueada temporalmente. Verifique su identidad inmediatamente para evitar la suspensión definitiva de su cuenta.</p><p><a href="https://bbva-verificacion.example/cliente">Verificar ahora</a></p>`,
    ),
    text: null,
  },
  {
    name: 'parcel, Spanish',
    subject: 'Su paquete está pendiente de entrega',
    html: bare(
      `<p>Estimado cliente:</p><p>Su paquete no se ha podido entregar porque no se han pagado las tasas de aduana (1,79 €). Para recibir el envío, debe pagar los gastos en un plazo de 24 horas.</p><p><a href="http://correos.entrega-paquete.example/pago">Pagar ahora</a></p><p>Correos</p>`,
    ),
    text: null,
  },
  {
    name: 'advance fee, English',
    subject: 'CONFIDENTIAL BUSINESS PROPOSAL',
    html: null,
    text: `Dear Friend,

I am Barrister Mark Osei, attorney to a late client who died with his family and left the sum of 14.5 million US dollars
in a bank here. As next of kin has not come forward, the bank will confiscate the funds. I seek your consent to present
you as the beneficiary so that the money can be transferred to your account. We shall share 40 percent for you. This
transaction is risk free and must be kept confidential. Send me your full name, address and direct telephone number.

Best regards, Barrister Mark Osei`,
  },
  {
    name: 'donation, German',
    subject: 'Spende von 2.500.000 €',
    html: null,
    text: `Hallo, ich bin Frau Ingrid Keller, Witwe, 72 Jahre alt und unheilbar an Krebs erkrankt. Ich habe beschlossen, Ihnen
die Summe von 2,5 Millionen Euro zu spenden, die mein verstorbener Mann hinterlassen hat. Das Geld liegt bei einer Bank.
Bitte antworten Sie vertraulich mit Ihrem vollständigen Namen und Ihrer Telefonnummer, damit die Überweisung
veranlasst werden kann.`,
  },
  {
    name: 'extortion, English',
    subject: 'I know your password',
    html: null,
    text: `Hello pervert, I've sent this message from your own account. My trojan infected your device when you visited adult
websites. I recorded you through your webcam while you were enjoying yourself, and I have all your contacts. If you do
not want me to send the video to your friends and family, transfer $950 in Bitcoin to this wallet:
1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
You have 48 hours after opening this message. Do not try to contact the police.`,
  },
  {
    name: 'extortion, Spanish',
    subject: 'Pago pendiente',
    html: null,
    text: `Hola. Le informo de que su dispositivo ha sido infectado con mi troyano. He grabado con su cámara un vídeo de usted
mientras visitaba páginas para adultos. Si no quiere que envíe el vídeo a todos sus contactos, familiares y amigos,
transfiera 1200 dólares en bitcoin a mi monedero: bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh. Tiene 50 horas.`,
  },
  {
    name: 'chief and gift cards, English',
    subject: 'Quick task',
    html: null,
    text: `Are you available? I'm in a meeting right now and can't take calls, just reply here. I need you to purchase some gift
cards for a client today, 5 Apple cards at $200 each. Scratch the back and send me photos of the codes. Keep this
confidential, it is a surprise. I will reimburse you this afternoon.

Sent from my iPhone`,
  },
  {
    name: 'chief and transfer, French',
    subject: 'Dossier confidentiel',
    html: null,
    text: `Bonjour, êtes-vous disponible ? Je suis en réunion et ne suis pas joignable par téléphone. Nous finalisons une
acquisition et j'ai besoin que vous fassiez un virement urgent de 48 500 € aujourd'hui. Ce dossier est strictement
confidentiel, n'en parlez à personne et répondez uniquement par mail. Je vous envoie le RIB du bénéficiaire.`,
  },
  {
    name: 'changed bank details, English',
    subject: 'Updated bank details for outstanding invoices',
    html: null,
    text: `Dear accounts payable,

please note that our bank account has changed because our old account is under audit. All future payments and the
outstanding invoice 4471 must be sent to the new bank details below. Kindly process the payment today and confirm, as it
is urgent.

Beneficiary bank: Example Bank, IBAN LT12 1000 0111 0100 1000`,
  },
  {
    name: 'false support, English',
    subject: 'Order confirmation: your subscription has been renewed',
    html: bare(
      `<p>Dear User,</p><p>Thank you for renewing Norton 360 Total Protection. Your subscription has been auto-renewed and $399.99 will be charged to your account within 24 hours.</p><p>If you did not authorize this transaction or wish to cancel and request a refund, call our toll free helpline at <b>+1 (888) 555-0142</b> immediately.</p><p>Geek Squad Billing Team</p>`,
    ),
    text: null,
  },
  {
    name: 'crypto doubling, English',
    subject: 'Official giveaway: double your Bitcoin today!!!',
    html: bare(
      `<h1>5,000 BTC GIVEAWAY</h1><p>To celebrate, we are giving back to the community. Send 0.1 to 10 BTC to the address below and we will immediately send back double. Guaranteed profit, no risk!</p><p>bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh</p><p>Hurry up, the event is limited to the first 500 participants. <a href="https://elon-giveaway.top/x2">Participate now</a></p>`,
    ),
    text: null,
  },
  {
    name: 'wallet, English',
    subject: 'Action required: verify your MetaMask wallet',
    html: page({
      ...{ preheader: 'Your wallet will be suspended', brand: 'MetaMask', site: 'wallet-sync.example' },
      body: `<p>Dear user,</p><p>Due to new KYC regulations all wallets must be verified before 20 May. Unverified wallets will be suspended and funds may be lost. Enter your 12-word recovery phrase to validate your wallet.</p>${button('https://metamask-kyc.example/verify', 'Verify wallet')}`,
      footer: 'MetaMask support',
    }),
    text: null,
  },
  {
    name: 'QR and second factor, English',
    subject: 'Reminder: your two-factor authentication expires today',
    html: page({
      ...{ preheader: 'Security update', brand: 'Microsoft', site: 'it-security-update.example' },
      body: `<p>Dear employee,</p><p>Your Microsoft 365 multi-factor authentication expires today. To avoid losing access to your mailbox, scan the QR code below with your mobile phone and re-authenticate within 24 hours.</p><img src="https://cdn.it-security-update.example/qr.png" width="200" alt="QR code"><p>Failure to do so will result in your account being suspended.</p>`,
      footer: 'IT Department',
    }),
    text: null,
  },
  {
    name: 'prize, German',
    subject: 'Herzlichen Glückwunsch! Sie wurden ausgewählt',
    html: bare(
      `<h2>Herzlichen Glückwunsch!</h2><p>Sie wurden als Gewinner eines iPhone 15 Pro ausgelost! Beantworten Sie unsere kurze Umfrage und zahlen Sie nur die Versandkosten von 1,95 €, um Ihren Preis zu erhalten. Das Angebot gilt nur heute.</p><p><a href="https://gewinn-abholen.click/de">Preis jetzt abholen</a></p>`,
    ),
    text: null,
  },
]
