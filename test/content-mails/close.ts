// Honest mails that speak of what fraud speaks of: locks, identities, payments, prizes, full mailboxes. Subject and text.

export const CLOSE: readonly (readonly [subject: string, text: string])[] = [
  [
    'Your refund has been issued',
    'Hi Kate, we have refunded $48.20 to your Visa ending 1182 for order 5521. It can take 5 to 10 business days to appear on your statement. If you have questions, contact our customer service team. Thanks for shopping with us.',
  ],
  [
    'Action required: verify your domain',
    'Hi, to send email from news.harlow.example you need to verify your domain. Add the DNS records below, then click Verify. If the domain is not verified within 72 hours, your pending messages will not be sent. https://app.mailer.example/domains',
  ],
  [
    'Your account has been suspended due to unpaid invoices',
    'Hello Peter, invoice 2201 (€129.00) has been overdue since 2 April, and we have sent three reminders. Your hosting account has therefore been suspended. Pay the invoice in your customer area to reactivate it: https://my.hoster.example/invoices/2201. If you have already paid, please send us the receipt.',
  ],
  [
    'Payment failed - update your card to keep your membership',
    'Hi Lou, we tried to charge your card for your monthly membership but the payment failed. Please update your billing information so your membership is not cancelled. https://gym.example/billing The team at Lift',
  ],
  [
    'We noticed a suspicious login and locked your account',
    'Hi Omar, someone tried to sign in to your account from Brazil with the right password. To keep you safe we have temporarily locked your account. Reset your password to unlock it: https://accounts.studio.example/reset If you need help, reply to this email.',
  ],
  [
    'KYC: please confirm your identity to continue trading',
    'Dear Ms Lind, regulations require us to verify your identity before you can trade more than 1,000 euros. Open the app, go to Profile and upload a photo of your passport. Your account remains open meanwhile.',
  ],
  [
    'Ihr Paket konnte nicht zugestellt werden',
    'Guten Tag, wir haben Sie heute leider nicht angetroffen. Ihr Paket liegt ab morgen, 10 Uhr, in der Filiale Lindenstraße 4 zur Abholung bereit. Bitte bringen Sie Ihren Ausweis mit. Ihr Paketdienst',
  ],
  [
    'Wichtig: Bitte aktualisieren Sie Ihre Zahlungsdaten',
    'Hallo Jana, deine Kreditkarte läuft diesen Monat ab. Bitte aktualisiere deine Zahlungsmethode, damit dein Abo weiterläuft: https://konto.streamen.example/zahlung Dein Team',
  ],
  [
    'Mahnung: Rechnung 8812',
    'Sehr geehrter Herr Vogt, leider konnten wir zu unserer Rechnung 8812 über 340,00 EUR noch keinen Zahlungseingang feststellen. Bitte überweisen Sie den offenen Betrag innerhalb von 7 Tagen. Andernfalls müssen wir die Forderung an ein Inkassobüro übergeben. Mit freundlichen Grüßen',
  ],
  [
    'Votre paiement a été refusé',
    'Bonjour Louis, votre banque a refusé le paiement de votre abonnement (9,99 €). Mettez à jour votre moyen de paiement avant le 30 mai pour éviter une interruption : https://compte.ecoute.example/paiement',
  ],
  [
    'Vérifiez votre identité',
    'Bonjour, pour finaliser l’ouverture de votre compte, il nous manque une pièce d’identité. Déposez-la dans l’application, rubrique Documents. Nous vérifions votre dossier sous 48 heures.',
  ],
  [
    'Hemos bloqueado temporalmente su tarjeta',
    'Hola, Rosa: hemos detectado una compra inusual de 312 € y hemos bloqueado su tarjeta por seguridad. Abra la aplicación del banco y confirme si la compra es suya. Nunca le pediremos sus claves por correo ni por teléfono.',
  ],
  [
    'Su suscripción caduca mañana',
    'Hola, Iván: su suscripción caduca mañana. Renuévela hoy para no perder sus listas: https://musica.example/renovar Si no quiere seguir, no tiene que hacer nada.',
  ],
  [
    'You have won an auction: Leica M3',
    'Congratulations, you won the auction for Leica M3 with a bid of $910. Please pay the seller within 4 days. Pay now: https://auctions.example/pay/331',
  ],
  [
    'Congratulations! You are a winner in our May draw',
    'Hi Tess, you entered our May giveaway and you have won the £50 gift card! Reply with your postal address and we will send it to you. Well done, from everyone at Bramble Books.',
  ],
  [
    'Gift cards for your team',
    'Looking for a thank-you for your team? Our gift cards arrive by email within minutes. Purchase today and get 10% off orders over $500. https://giftly.example/business',
  ],
  [
    'Bank details for your deposit',
    'Hi Nora, thanks for choosing the flat on Elm Road. To reserve it please transfer the deposit of £600 to the client account of Hart Lettings. We will give you the keys on 1 June at our office; call us on the number on our website to confirm the account before you pay.',
  ],
  [
    'Our bank details have changed',
    'Dear customers, from 1 July our bank account will be with Nordbank. You will find the new IBAN on all invoices from that date and on our website. Please call your usual contact to confirm before you change your records.',
  ],
  [
    'Scan to set up your authenticator app',
    'Hi Bo, your company now requires two-factor authentication. Scan the QR code in Settings, Security with your authenticator app before 1 June. https://app.workhub.example/settings/security',
  ],
  [
    'Your mailbox is almost full',
    'Hi Ana, your mailbox has used 95% of its 15 GB. Delete large messages or buy more storage to keep receiving email. https://mail.hosty.example/storage',
  ],
  [
    'Salary review letter',
    'Hi Dev, your salary review letter is available in the HR portal. Your new salary takes effect with the June payroll. Sign in as usual at https://hr.firm.example',
  ],
  [
    'Invoice 20441 is attached',
    'Dear Maria, please find attached invoice 20441 for April. Payment is due within 30 days to the account stated on the invoice. Kind regards, Olga',
  ],
]
