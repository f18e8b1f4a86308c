// Honest mails of today that were written before the rules were changed, and held back; see trial-held-back-fraud.ts.

import { button, page, rows } from './layout.ts'
import type { Trial } from './trial.ts'

const frame = (brand: string, site: string, body: string, footer: string): string =>
  page({ preheader: `A message from ${brand}`, brand, site, body, footer })

export const HELD_BACK_HONEST: readonly Trial[] = [
  {
    name: 'password reset, English, text',
    subject: 'Reset your password',
    html: null,
    text: 'Hello,\n\nWe received a request to reset the password of your Mapwright account. Use this link within the next 2 hours: https://mapwright.example/reset/aa81\n\nIf you did not request this, please ignore this email or contact support if you are worried. Your password will not change until you create a new one.\n\nMapwright Support',
  },
  {
    name: '2FA code, German, html',
    subject: 'Ihr Bestätigungscode: 771204',
    html: frame(
      'Seebank',
      'seebank.example',
      '<p>Guten Tag,</p><p>Ihr Code für die Anmeldung lautet:</p><h1>771204</h1><p>Er ist 5 Minuten gültig. Geben Sie ihn niemals an andere weiter, auch nicht an unsere Mitarbeiter. Haben Sie den Code nicht angefordert, rufen Sie uns bitte an.</p>',
      'Seebank eG, Konstanz',
    ),
    text: null,
  },
  {
    name: 'receipt, English, html',
    subject: 'Your receipt from Bluefin Parking',
    html: frame(
      'Bluefin Parking',
      'bluefinparking.example',
      `<p>Thanks for parking with us.</p>${rows([
        ['Harbour Street, 22 May, 09:10 to 12:40', '$14.00'],
        ['Service fee', '$0.35'],
        ['Charged to Mastercard ending 9021', '$14.35'],
      ])}<p>Something wrong? <a href="https://bluefinparking.example/help">Contact us</a> within 30 days for a refund.</p>`,
      'Bluefin Parking LLC, Portland ME',
    ),
    text: null,
  },
  {
    name: 'shipping, Spanish, html',
    subject: 'Tu pedido 4410 ya está en camino',
    html: frame(
      'Librería Faro',
      'libreriafaro.example',
      `<p>Hola Andrés:</p><p>Hemos entregado tu paquete a Correos. Llegará entre el lunes y el miércoles. Si no estás en casa, lo dejarán en tu oficina de correos durante 15 días.</p>${button('https://libreriafaro.example/pedidos/4410', 'Seguir mi envío')}<p>Gracias por comprar en una librería de barrio.</p>`,
      'Librería Faro, Gijón',
    ),
    text: null,
  },
  {
    name: 'bank notice, German, text',
    subject: 'Neue Nachricht in Ihrem Postfach',
    senderName: 'Volksbank Seetal',
    senderDomain: 'volksbank-seetal.example',
    html: null,
    text: 'Guten Tag Herr Kern,\n\nin Ihrem elektronischen Postfach liegt ein neues Dokument: Kontoauszug Nr. 5/2026. Bitte melden Sie sich wie gewohnt im Online-Banking an, um es zu lesen. Aus Sicherheitsgründen enthält diese E-Mail keinen Link.\n\nIhre Volksbank Seetal',
  },
  {
    name: 'invitation, English, html',
    subject: "You're invited: Summer open day on 21 June",
    html: frame(
      'Ashdown Nursery',
      'ashdown.example',
      `<h1>Summer open day</h1><p>Join us on Saturday 21 June from 11 am to 4 pm. There will be a plant sale, a tombola with lots of prizes, and free ice cream for the first 100 children.</p>${button('https://ashdown.example/openday', 'Reserve a place')}<p>Entry is free, parking is £3.</p>`,
      'Ashdown Nursery, Lewes. <a href="https://ashdown.example/unsubscribe">Unsubscribe</a>',
    ),
    text: null,
  },
  {
    name: 'invoice, English, text',
    subject: 'Invoice 3391 from Marlow Design',
    html: null,
    text: 'Hi Peter,\n\nplease find attached invoice 3391 for the website work in May, £2,340.00 including VAT. Payment is due within 30 days. Our bank details are on the invoice and have not changed.\n\nIt was a pleasure to work with you, let me know if anything is missing.\n\nBest\nEsther Marlow',
    attachments: [{ filename: 'invoice-3391.pdf', contentType: 'application/pdf' }],
  },
  {
    name: 'pull request, English, html',
    subject: 'Re: [kelp/parser] Handle trailing commas (PR #91)',
    html: '<p><b>@dario</b> approved this pull request.</p><p>Nice, thank you! One small thing: could you add a test for the empty list? Then I will merge it.</p><p style="color:#666">—<br>Reply to this email directly, <a href="https://forge.example/kelp/parser/pull/91">view it on Forge</a>, or <a href="https://forge.example/notifications/unsubscribe/9a">unsubscribe</a>.</p>',
    text: '@dario approved this pull request.\n\nNice, thank you! One small thing: could you add a test for the empty list? Then I will merge it.\n\nReply to this email directly or view it on Forge: https://forge.example/kelp/parser/pull/91',
  },
  {
    name: 'job application answer, German, text',
    subject: 'Ihre Bewerbung als Werkstudentin',
    html: null,
    text: 'Liebe Frau Yilmaz,\n\nvielen Dank für Ihre Bewerbung, die uns sehr gut gefallen hat. Wir würden Sie gern zu einem Gespräch einladen und schlagen Dienstag, den 3. Juni, um 14 Uhr vor. Bitte bestätigen Sie den Termin kurz. Bringen Sie zum Gespräch bitte Ihre Immatrikulationsbescheinigung und einen Ausweis mit.\n\nFreundliche Grüße\nKatrin Busch, Personal',
  },
  {
    name: 'survey, English, html',
    subject: 'How did we do? Rate your stay',
    html: frame(
      'Hotel Lindenhof',
      'lindenhof.example',
      `<p>Dear Mr Evans,</p><p>We hope you arrived home safely. Would you take two minutes to tell us about your stay? As a thank you, everyone who answers gets a 10% discount code for the next visit.</p>${button('https://lindenhof.example/feedback/51', 'Start the survey')}`,
      'Hotel Lindenhof, Bern. <a href="https://lindenhof.example/optout">Opt out</a> of surveys',
    ),
    text: null,
  },
  {
    name: 'calendar, German, text',
    subject: 'Aktualisiert: Elternabend Klasse 5b, Di. 10. Juni 19:00',
    html: null,
    text: 'Dieser Termin wurde geändert.\n\nElternabend Klasse 5b\nNeu: Dienstag, 10. Juni, 19:00 bis 20:30 Uhr\nOrt: Aula\n\nTagesordnung: Klassenfahrt, Handyregelung, Verschiedenes. Bitte sagen Sie bis Freitag Bescheid, ob Sie kommen.\n\nFrau Adler',
    attachments: [{ filename: 'termin.ics', contentType: 'text/calendar' }],
  },
  {
    name: 'sale, English, html',
    subject: '⏰ Last chance: 50% off everything ends tonight',
    html: frame(
      'Cove & Co',
      'coveandco.example',
      `<img src="https://cdn.coveandco.example/sale.jpg" width="536" alt="Half price on everything until midnight"><h1>Half price on everything</h1><p>This is it: our biggest sale of the year ends tonight at midnight. Don't miss 50% off all swimwear, plus free returns.</p>${button('https://coveandco.example/sale', 'Shop now', '#cc3344')}<p>New here? Get an extra 10% off with code HELLO10.</p>`,
      'You are receiving this because you signed up at coveandco.example. <a href="https://coveandco.example/u/5">Unsubscribe</a>. Cove & Co, Falmouth',
    ),
    text: null,
  },
  {
    name: 'charity appeal, French, html',
    subject: 'Séisme : votre don peut sauver des vies',
    html: frame(
      'Secours Vallées',
      'secoursvallees.example',
      `<p>Chère Madame Petit,</p><p>Dans la nuit de dimanche, un séisme a frappé la région. Nos équipes sont sur place et distribuent de l'eau, des tentes et des soins d'urgence.</p><p>Avec 50 €, vous offrez un kit de survie à une famille. Votre don est déductible de vos impôts à 75 %.</p>${button('https://secoursvallees.example/don', 'Je fais un don', '#c0392b')}<p>Merci de votre soutien.</p>`,
      'Association Secours Vallées, Grenoble. <a href="https://secoursvallees.example/desinscription">Se désinscrire</a>',
    ),
    text: null,
  },
  {
    name: 'payment failed, German, html',
    subject: 'Ihre Zahlung konnte nicht eingezogen werden',
    html: frame(
      'Tonstudio Cloud',
      'tonstudio.example',
      `<p>Hallo Frau Maurer,</p><p>die Abbuchung von 9,99 € für Ihr Abo wurde von Ihrer Bank abgelehnt. Wir versuchen es am 28. Mai noch einmal. Bitte prüfen Sie Ihre hinterlegte Karte.</p>${button('https://tonstudio.example/abo', 'Zahlungsmethode prüfen')}<p>Ihre Aufnahmen bleiben in jedem Fall erhalten.</p>`,
      'Tonstudio Cloud UG, Köln',
    ),
    text: null,
  },
  {
    name: 'new device, English, text',
    subject: 'New login to Fernote from Chrome on Mac',
    html: null,
    text: 'Hi Alex,\n\nyour account was just used to sign in from a new device.\n\nDevice: Chrome on macOS\nLocation: near Austin, Texas\nTime: 22 May 2026, 08:11 CDT\n\nIf this was you, you can ignore this message. If not, please secure your account: https://fernote.example/security/devices\n\nThe Fernote team',
  },
  {
    name: 'account closing for inactivity, English, html',
    subject: 'Your Picturebox account will be deleted on 30 June',
    html: frame(
      'Picturebox',
      'picturebox.example',
      `<p>Hi Lena,</p><p>You have not signed in to Picturebox for two years. As our terms say, we delete inactive accounts. Yours, with 214 photos, will be deleted on 30 June.</p><p>Would you like to keep it? Sign in once before then, that is all.</p>${button('https://picturebox.example/signin', 'Sign in')}<p>You can also <a href="https://picturebox.example/export">download your photos</a>.</p>`,
      'Picturebox AB, Malmö',
    ),
    text: null,
  },
  {
    name: 'landlord, Spanish, text',
    subject: 'Subida del alquiler y nueva cuenta',
    html: null,
    text: 'Hola Carmen:\n\ncomo hablamos ayer, desde julio el alquiler sube a 780 euros según el índice. La comunidad ha cambiado de administrador; si tienes dudas, llámame al teléfono de siempre y lo vemos. El contrato nuevo te lo llevo el viernes para que lo firmes.\n\nUn saludo,\nJosé Luis',
  },
  {
    name: 'bank newsletter on safety, English, html',
    subject: 'Five ways to keep your money safe online',
    senderName: 'Harbour Credit Union',
    senderDomain: 'harbourcu.example',
    html: frame(
      'Harbour Credit Union',
      'harbourcu.example',
      '<h2>Stay safe this summer</h2><ol><li>We will never ask you for your full password or a one-time code.</li><li>Be wary of calls that say your account has been suspended.</li><li>Do not click on links in unexpected messages about parcels or refunds.</li><li>Use two-factor authentication.</li><li>Call the number on the back of your card if in doubt.</li></ol><p><a href="https://harbourcu.example/safe">More tips</a></p>',
      'Harbour Credit Union. <a href="https://harbourcu.example/prefs">Email preferences</a>',
    ),
    text: null,
  },
  {
    name: 'broker, German, text',
    subject: 'Ihre Wertpapierabrechnung',
    html: null,
    text: 'Sehr geehrte Frau Dr. Simon,\n\nIhr Kaufauftrag wurde ausgeführt: 12 Anteile Weltaktien ETF zu 84,10 EUR, zusammen 1.009,20 EUR zuzüglich 1,00 EUR Gebühr. Die Abrechnung finden Sie in Ihrem Dokumentenarchiv. Geldanlagen sind mit Risiken verbunden.\n\nIhr Depotservice',
  },
  {
    name: 'webinar, English, html',
    subject: 'Free webinar: cut your cloud bill by 30%',
    html: frame(
      'Costwise',
      'costwise.example',
      `<h1>Cut your cloud bill by 30%</h1><p>Hi Raj,</p><p>Join our engineers on 12 June for a free 45-minute session. You will learn which three settings save the most money, with real examples from teams like yours.</p>${button('https://costwise.example/webinar', 'Save my seat')}<p>Seats are limited to 200. Can't make it? Register anyway and we will send the recording.</p>`,
      'Costwise Inc., Boston. <a href="https://costwise.example/u/2">Unsubscribe</a>',
    ),
    text: null,
  },
  {
    name: 'sports club, French, text',
    subject: 'Cotisation 2026-2027',
    html: null,
    text: "Bonjour à tous,\n\nLa saison se termine et il est temps de renouveler votre adhésion. La cotisation est de 145 euros, à régler avant le 15 juillet par virement ou par chèque lors de l'assemblée générale. Pensez à joindre le certificat médical. Sans dossier complet, la licence ne pourra pas être demandée.\n\nSportivement,\nLe bureau",
  },
  {
    name: 'upgrade offer, Spanish, html',
    subject: 'Últimos días: 3 meses gratis de Nubea Pro',
    html: frame(
      'Nubea',
      'nubea.example',
      `<h1>3 meses gratis</h1><p>Hola Marta:</p><p>Hasta el domingo puedes probar Nubea Pro gratis durante tres meses. Sin permanencia: cancela cuando quieras desde tu perfil.</p>${button('https://nubea.example/pro', 'Activar la oferta')}<p>Después, 4,99 € al mes.</p>`,
      'Nubea S.A., Madrid. <a href="https://nubea.example/baja">Darse de baja</a>',
    ),
    text: null,
  },
  {
    name: 'boss, German, text',
    subject: 'Kurze Bitte',
    html: null,
    text: 'Hallo Tim,\n\nkannst du heute noch die Rechnung von Berger freigeben? Ich bin bis 16 Uhr in der Besprechung und danach telefonisch erreichbar. Die Präsentation für morgen habe ich dir ins Projektlaufwerk gelegt, schau bitte noch einmal über die Zahlen auf Folie 7.\n\nDanke und Gruß\nHeike',
  },
  {
    name: 'customs info, English, text',
    subject: 'Import duty on your order from Kyoto Paper',
    html: null,
    text: 'Hi Freya,\n\nyour order KP-1182 has left Japan. Because its value is over £135, your carrier will collect VAT and a handling fee from you before delivery. You can expect about £31 in total. We have put the commercial invoice on the outside of the parcel. Nothing needs to be paid to us.\n\nKyoto Paper',
  },
  {
    name: 'government appointment, German, text',
    subject: 'Terminbestätigung Bürgeramt',
    html: null,
    text: 'Sehr geehrte Frau Nowak,\n\nIhr Termin zur Beantragung eines Personalausweises am 04.06.2026 um 10:20 Uhr ist bestätigt. Bitte bringen Sie Ihren alten Ausweis, ein biometrisches Foto und 37,00 EUR Gebühr mit (nur Kartenzahlung). Können Sie nicht kommen, sagen Sie den Termin bitte ab: https://termine.stadt.example/ab/7k2\n\nIhr Bürgeramt',
  },
  {
    name: 'refund, French, html',
    subject: 'Votre remboursement est en cours',
    html: frame(
      'Chaussons & Cie',
      'chaussons.example',
      '<p>Bonjour Nadia,</p><p>Nous avons bien reçu votre retour. Le remboursement de 49,90 € a été effectué aujourd’hui sur la carte utilisée lors de l’achat. Selon votre banque, il apparaîtra sous 3 à 5 jours ouvrés.</p><p>Une question ? Répondez simplement à cet e-mail.</p>',
      'Chaussons & Cie, Romans-sur-Isère',
    ),
    text: null,
  },
  {
    name: 'gift card bought, English, html',
    subject: 'Your gift card for Mum is on its way',
    html: frame(
      'Petal Post',
      'petalpost.example',
      `<p>Hi Josh,</p><p>Thanks for your order. We have emailed the £40 gift card to your mum, and she can use the code on our website or in either shop. It is valid for two years.</p>${button('https://petalpost.example/orders/771', 'View order')}`,
      'Petal Post, York',
    ),
    text: null,
  },
  {
    name: 'support ticket, English, text',
    subject: 'Re: [Ticket 55120] Cannot log in after the update',
    html: null,
    text: 'Hi Marco,\n\nthanks for the screenshots. Your account was locked because of five wrong passwords, which is what our system does for your protection. I have unlocked it. Please try again with the password you set on Monday, and tell me if it still fails.\n\nBest regards\nIvy, Customer Support',
  },
  {
    name: 'church newsletter, English, text',
    subject: 'St Anne weekly notices',
    html: null,
    text: 'Dear friends,\n\nSunday: family service at 10, with coffee afterwards. Wednesday: lunch club, please tell Joan if you need a lift. The roof appeal has reached £18,400, thank you to all who have given; standing orders can be set up with the treasurer. We pray for Alan, who is in hospital.\n\nGod bless\nReverend Carol',
  },
  {
    name: 'sign contract, German, html',
    subject: 'Bitte unterschreiben: Mietvertrag Lindenweg 8',
    html: frame(
      'Hausverwaltung Krug',
      'hv-krug.example',
      `<p>Sehr geehrter Herr Baumann,</p><p>der Mietvertrag liegt für Sie zur digitalen Unterschrift bereit. Bitte lesen Sie ihn in Ruhe durch und unterschreiben Sie ihn bis zum 30. Mai.</p>${button('https://portal.hv-krug.example/vertrag/81', 'Vertrag öffnen')}<p>Bei Fragen erreichen Sie uns werktags von 9 bis 16 Uhr unter 0341 555 0190.</p>`,
      'Hausverwaltung Krug, Leipzig',
    ),
    text: null,
  },
]
