// Honest mail as it is sent today: receipts, passwords, parcels, invoices, invitations, newsletters, in four languages.
// Written for the test; the names are invented.

import { button, type Mail, page, rows } from './layout.ts'

export const LEGITIMATE: readonly Mail[] = [
  {
    name: 'order confirmation, English',
    subject: 'Your Fernhill order #48213 is confirmed',
    html: page({
      ...{ preheader: 'Thanks, Maya. We are packing your order.', brand: 'Fernhill', site: 'fernhill.example' },
      body: `<h1 style="font-size:22px">Thanks for your order, Maya!</h1><p>We have received your order and will email you again when it ships. Most orders leave our warehouse within two working days.</p>
${rows([
  ['Merino crew socks, pine, 3 pairs', '$36.00'],
  ['Trail cap, sand', '$28.00'],
  ['Shipping', '$5.95'],
  ['Sales tax', '$5.12'],
  ['<b>Total charged to Visa ending 4242</b>', '<b>$75.07</b>'],
])}
${button('https://fernhill.example/account/orders/48213', 'View your order')}<p>Shipping to: Maya Ortiz, 118 Alder Street, Portland, OR 97205. Need to change something? Reply to this email within the hour and we will do our best.</p>`,
      footer: `Fernhill Supply Co., 2200 NW Front Ave, Portland, OR 97209. You are receiving this email because you placed an order at <a href="https://fernhill.example">fernhill.example</a>.`,
    }),
    text: 'Thanks for your order, Maya! We have received your order and will email you again when it ships. Merino crew socks, pine, 3 pairs $36.00. Trail cap, sand $28.00. Shipping $5.95. Total charged to Visa ending 4242: $75.07. View your order: https://fernhill.example/account/orders/48213',
  },
  {
    name: 'password reset, English',
    subject: 'Reset your Plotline password',
    html: page({
      ...{ preheader: 'This link works for 60 minutes.', brand: 'Plotline', site: 'plotline.example' },
      body: `<p>Hi Jonas,</p><p>Someone asked to reset the password for your Plotline account. If that was you, choose a new password:</p>${button('https://app.plotline.example/reset?t=b7Qd91', 'Choose a new password')}
<p>The link expires in 60 minutes and can be used once. If you did not ask for this, you can ignore this email; your password will not change and your account is safe.</p><p>Button not working? Paste this into your browser:<br><a href="https://app.plotline.example/reset?t=b7Qd91">https://app.plotline.example/reset?t=b7Qd91</a></p>`,
      footer: 'Plotline Inc., 500 Howard St, San Francisco. We will never ask for your password by email.',
    }),
    text: null,
  },
  {
    name: 'new sign-in notice, English',
    subject: 'New sign-in to your Gridnote account',
    html: page({
      ...{ preheader: 'Chrome on Windows, Lisbon', brand: 'Gridnote', site: 'gridnote.example' },
      body: `<p>Hi Priya,</p><p>We noticed a new sign-in to your account.</p>${rows([
        ['When', '14 May, 09:42 UTC'],
        ['Device', 'Chrome on Windows'],
        ['Where', 'Lisbon, Portugal (approximate)'],
      ])}<p>If this was you, there is nothing to do. If you don't recognise this activity, please change your password and review the devices that are signed in.</p>${button('https://gridnote.example/settings/security', 'Review devices')}`,
      footer: 'You get this security email because it concerns your account. Gridnote Ltd, Dublin.',
    }),
    text: null,
  },
  {
    name: 'failed card, English',
    subject: 'We could not charge your card for Tidewater Pro',
    html: page({
      ...{ preheader: 'Your plan stays on until 28 May.', brand: 'Tidewater', site: 'tidewater.example' },
      body: `<p>Hello Sam,</p><p>Your payment of $24.00 for Tidewater Pro was declined by your bank. This often happens when a card has expired. We will try again on 24 May.</p><p>To keep your plan without a break, please update your payment method before 28 May. After that date your workspace moves to the free plan; nothing is deleted.</p>${button('https://tidewater.example/billing', 'Update payment method')}<p>Questions? Just reply, a person reads every answer.</p>`,
      footer:
        'Tidewater Software GmbH, Hamburg. <a href="https://tidewater.example/billing/emails">Billing email settings</a>',
    }),
    text: null,
  },
  {
    name: 'product newsletter, English',
    subject: 'May at Loomly Kitchen: sharper search, shared lists, and a cookbook giveaway',
    html: page({
      ...{
        preheader: 'What we shipped this month, and what is next.',
        brand: 'Loomly Kitchen',
        site: 'loomlykitchen.example',
      },
      body: `<p><a href="https://loomlykitchen.example/news/may">View in browser</a></p><h1>What is new in May</h1><img src="https://cdn.loomlykitchen.example/may/search.jpg" width="536" alt="The new search page"><h2>Search that understands leftovers</h2><p>Type "half a cabbage and some rice" and get 40 ideas. It is free for everyone, on the web and in the app. <a href="https://loomlykitchen.example/search">Try the new search</a></p><h2>Shared shopping lists</h2><p>Invite your household and tick things off together. Save time, and save 20% on the family plan until Sunday with the code MAYTABLE.</p>${button('https://loomlykitchen.example/family', 'Get the family plan')}<h2>Win one of ten signed cookbooks</h2><p>Tell us about the dish you cook without a recipe. We draw ten winners on 30 May. <a href="https://loomlykitchen.example/giveaway">Enter here</a></p><p>Happy cooking,<br>Ines and the team</p>`,
      footer: `You signed up for our newsletter at loomlykitchen.example. <a href="https://loomlykitchen.example/u/9d1">Unsubscribe</a> or <a href="https://loomlykitchen.example/p/9d1">manage your preferences</a>. Loomly Kitchen, 14 Mill Lane, Bristol BS1 4RB.`,
    }),
    text: null,
  },
  {
    name: 'shop sale, English',
    subject: '☀️ Summer sale: up to 40% off linen',
    html: page({
      ...{ preheader: 'Free delivery over £60, until Monday.', brand: 'Marsh & Vale', site: 'marshandvale.example' },
      body: `<img src="https://cdn.marshandvale.example/sale/hero.jpg" width="536" alt="Summer sale: up to 40% off linen"><h1 style="color:#b5342d">Up to 40% off linen</h1><p>Our summer sale is here. Shirts from £29, trousers from £39, and free delivery on orders over £60. Sale ends Monday at midnight, while stocks last.</p>${button('https://marshandvale.example/sale', 'Shop the sale', '#b5342d')}<table width="100%"><tr><td><img src="https://cdn.marshandvale.example/p/1.jpg" width="260" alt="Linen shirt, white"><br><a href="https://marshandvale.example/p/1">Linen shirt, white</a><br><s>£49</s> <b>£29</b></td><td><img src="https://cdn.marshandvale.example/p/2.jpg" width="260" alt="Wide linen trousers"><br><a href="https://marshandvale.example/p/2">Wide linen trousers</a><br><s>£65</s> <b>£39</b></td></tr></table><p>Shop now, pay later with Klarna or PayPal. Gift cards available in every store.</p>`,
      footer: `Marsh & Vale Ltd, 3 Quay Road, Bath. No longer want these emails? <a href="https://marshandvale.example/unsubscribe?id=77">Unsubscribe</a>. <a href="https://marshandvale.example/privacy">Privacy policy</a>`,
    }),
    text: null,
  },
  {
    name: 'shipping notice, English',
    subject: 'Your parcel is on its way',
    html: page({
      ...{ preheader: 'Delivery expected Thursday.', brand: 'Oak & Iron', site: 'oakandiron.example' },
      body: `<p>Good news, Daniel: order 7719-A has left our workshop and will be delivered by DHL on Thursday, 22 May, between 10:00 and 14:00.</p><p>Tracking number: JD014600006281230704</p>${button('https://oakandiron.example/track/JD014600006281230704', 'Track your parcel')}<p>Nobody home? The driver will leave it with a neighbour or at the nearest pick-up point. There are no customs fees: everything is paid.</p>`,
      footer: 'Oak & Iron Furniture, Leeds. Questions about delivery: help@oakandiron.example',
    }),
    text: null,
  },
  {
    name: 'plain answer of support, English',
    subject: 'Re: [#20931] Export stops at 10,000 rows',
    html: null,
    text: `Hi Tom,

thanks for the screenshot, that helped. The export stopped because of a limit we had set too low. We raised it to
100,000 rows this morning; please try again and let me know how it goes.

If you need more than that, the API has no limit: https://docs.rowhouse.example/api/export

Best,
Aylin
Rowhouse support

> On 12 May Tom wrote:
> the csv export of the orders table always stops after 10,000 rows`,
  },
  {
    name: 'event invitation, English',
    subject: 'You are invited: Evening of open workshops, 12 June',
    html: page({
      ...{ preheader: 'Free entry, places are limited.', brand: 'Northside Makers', site: 'northsidemakers.example' },
      body: `<h1>Evening of open workshops</h1><p>Dear members and friends,</p><p>on Thursday 12 June from 6 pm our printers, potters and bicycle mechanics open their doors. Entry is free, places are limited to 120, so please register. Your ticket has a QR code: we scan it at the entrance, on your phone or on paper.</p>${button('https://northsidemakers.example/e/june', 'Reserve your place')}<p>Where: 41 Canal Street, Manchester. Getting here: tram to New Islington, five minutes on foot. Add it to your calendar: <a href="https://northsidemakers.example/e/june.ics">ics file</a>.</p><p>We look forward to seeing you!</p>`,
      footer: `Northside Makers CIC. <a href="https://northsidemakers.example/leave/3c">Unsubscribe from invitations</a>`,
    }),
    text: null,
  },
  {
    name: 'invoice, German',
    subject: 'Ihre Rechnung RE-2024-1187 vom 2. Mai',
    html: page({
      ...{
        preheader: 'Der Betrag wird am 16. Mai abgebucht.',
        brand: 'Stadtwerke Eichental',
        site: 'sw-eichental.example',
      },
      body: `<p>Guten Tag Frau Brandt,</p><p>anbei erhalten Sie Ihre Rechnung für den Zeitraum April. Der Rechnungsbetrag wird am 16. Mai von Ihrem Konto (IBAN endet auf 4471) abgebucht; Sie müssen nichts weiter tun.</p>${rows(
        [
          ['Grundpreis', '9,80 €'],
          ['Verbrauch 212 kWh', '67,84 €'],
          ['Umsatzsteuer 19 %', '14,75 €'],
          ['<b>Rechnungsbetrag</b>', '<b>92,39 €</b>'],
        ],
      )}<p>Die Rechnung finden Sie als PDF im Anhang und in Ihrem Kundenkonto.</p>${button('https://kunden.sw-eichental.example/rechnungen', 'Zum Kundenkonto')}<p>Bei Fragen erreichen Sie uns montags bis freitags von 8 bis 18 Uhr unter 0800 1234567.</p><p>Mit freundlichen Grüßen<br>Ihre Stadtwerke Eichental</p>`,
      footer:
        'Stadtwerke Eichental GmbH, Am Markt 1, 35216 Eichental. Geschäftsführerin: Dr. Petra Voss. Amtsgericht Marburg HRB 2210.',
    }),
    text: null,
  },
  {
    name: 'newsletter, German',
    subject: 'Neu im Mai: Balkonkräuter, Saatgut-Tausch und 15 % auf Pflanzkästen',
    html: page({
      ...{ preheader: 'Was jetzt in die Erde darf.', brand: 'Grünzeug Magazin', site: 'gruenzeug.example' },
      body: `<p>Liebe Leserin, lieber Leser,</p><p>nach den Eisheiligen darf fast alles hinaus. In dieser Ausgabe zeigen wir, welche Kräuter sich auf einem halben Quadratmeter vertragen.</p><h2>Kräuter für den Balkon</h2><p>Basilikum mag es warm, Minze mag sich selbst am liebsten. <a href="https://gruenzeug.example/kraeuter">Weiterlesen</a></p><h2>Saatgut-Tausch in 14 Städten</h2><p>Kostenlos und ohne Anmeldung: Bringen Sie mit, was übrig ist. <a href="https://gruenzeug.example/tausch">Alle Termine</a></p><h2>Nur bis Sonntag: 15 % auf Pflanzkästen</h2><p>Mit dem Gutschein BALKON15 sparen Sie im Shop. Jetzt bestellen, versandkostenfrei ab 50 €.</p>${button('https://gruenzeug.example/shop', 'Zum Shop', '#3d7a3a')}<p>Herzliche Grüße aus der Redaktion</p>`,
      footer: `Sie erhalten diesen Newsletter, weil Sie sich auf gruenzeug.example angemeldet haben. <a href="https://gruenzeug.example/ab/12">Newsletter abbestellen</a> | <a href="https://gruenzeug.example/impressum">Impressum</a>`,
    }),
    text: null,
  },
  {
    name: 'confirm address, German',
    subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    html: page({
      ...{ preheader: 'Nur noch ein Klick.', brand: 'Radnetz', site: 'radnetz.example' },
      body: `<p>Hallo Kemal,</p><p>willkommen bei Radnetz! Bitte bestätigen Sie Ihre E-Mail-Adresse, damit wir Ihnen die Tourenvorschläge schicken dürfen.</p>${button('https://radnetz.example/bestaetigen/71d', 'E-Mail-Adresse bestätigen')}<p>Der Link ist 48 Stunden gültig. Falls Sie sich nicht angemeldet haben, ignorieren Sie diese E-Mail einfach; dann wird nichts gespeichert.</p>`,
      footer: 'Radnetz e. V., Südring 8, 50677 Köln',
    }),
    text: 'Hallo Kemal, willkommen bei Radnetz! Bitte bestätigen Sie Ihre E-Mail-Adresse: https://radnetz.example/bestaetigen/71d Der Link ist 48 Stunden gültig.',
  },
  {
    name: 'parcel in the shop, German',
    subject: 'Ihr Paket liegt in der Filiale bereit',
    html: page({
      ...{ preheader: 'Abholung bis 30. Mai.', brand: 'Buchhandlung Lerche', site: 'lerche-buch.example' },
      body: `<p>Guten Tag Herr Yilmaz,</p><p>Ihre Bestellung 55120 ist angekommen und liegt in unserer Filiale in der Bahnhofstraße 12 für Sie bereit. Bitte holen Sie das Paket bis zum 30. Mai ab und bringen Sie diese E-Mail oder die Bestellnummer mit. Bezahlt ist bereits alles.</p>${button('https://lerche-buch.example/bestellung/55120', 'Bestellung ansehen')}`,
      footer: 'Buchhandlung Lerche OHG, Bahnhofstraße 12, 79098 Freiburg',
    }),
    text: null,
  },
  {
    name: 'train ticket, French',
    subject: 'Votre billet pour Lyon, le 18 mai à 9 h 04',
    html: page({
      ...{ preheader: 'Présentez le code à bord.', brand: 'Rails du Sud', site: 'railsdusud.example' },
      body: `<p>Bonjour Camille,</p><p>merci pour votre réservation. Votre billet est joint au format PDF ; vous pouvez aussi présenter le code QR ci-dessous depuis votre téléphone.</p>${rows(
        [
          ['Départ', 'Montpellier, 9 h 04, voie 3'],
          ['Arrivée', 'Lyon Part-Dieu, 10 h 52'],
          ['Place', 'voiture 7, place 42'],
          ['Prix payé', '38,00 €'],
        ],
      )}<img src="https://cdn.railsdusud.example/qr/8841.png" width="180" alt="Code QR du billet 8841"><p>Le billet est échangeable sans frais jusqu'à 24 heures avant le départ.</p>${button('https://railsdusud.example/voyages/8841', 'Gérer mon voyage')}<p>Bon voyage !</p>`,
      footer:
        'Rails du Sud SA, 12 rue de la Gare, 34000 Montpellier. Service client : 09 70 12 34 56, appel non surtaxé.',
    }),
    text: null,
  },
  {
    name: 'newsletter, French',
    subject: 'La lettre de mai : trois expositions à ne pas manquer',
    html: page({
      ...{ preheader: 'Entrée gratuite le premier dimanche.', brand: 'Musée des Quais', site: 'museedesquais.example' },
      body: `<p>Chers amis du musée,</p><h2>Lumières du port</h2><p>Cent photographies prises entre l'aube et midi, à voir jusqu'au 31 août. <a href="https://museedesquais.example/lumieres">En savoir plus</a></p><h2>Nuit des musées</h2><p>Le samedi 17 mai, l'entrée est gratuite de 19 h à minuit. Réservez votre visite guidée, les places sont limitées.</p>${button('https://museedesquais.example/nuit', 'Réserver une visite')}<h2>La boutique</h2><p>Profitez de 10 % de réduction sur les catalogues avec votre carte d'abonné.</p><p>À très bientôt au musée !</p>`,
      footer: `Vous recevez cette lettre car vous êtes inscrit sur museedesquais.example. <a href="https://museedesquais.example/d/5f">Se désabonner</a>`,
    }),
    text: null,
  },
  {
    name: 'order shipped, French',
    subject: 'Votre commande n° 30217 a été expédiée',
    html: page({
      ...{ preheader: 'Livraison prévue mardi.', brand: 'Atelier Brume', site: 'atelierbrume.example' },
      body: `<p>Bonjour Nadia,</p><p>bonne nouvelle : votre commande a quitté notre atelier. Le colis sera livré par Colissimo à l'adresse suivante : 8 rue des Lilas, 44000 Nantes.</p>${rows(
        [
          ['Bougie figuier', '24,00 €'],
          ['Livraison', '4,90 €'],
          ['Total', '28,90 €'],
        ],
      )}${button('https://atelierbrume.example/suivi/30217', 'Suivre mon colis')}<p>En cas d'absence, le colis vous attendra au point relais pendant 14 jours.</p><p>Merci et à bientôt,<br>Élodie</p>`,
      footer: 'Atelier Brume SARL, Nantes. Une question ? bonjour@atelierbrume.example',
    }),
    text: null,
  },
  {
    name: 'appointment, Spanish',
    subject: 'Recordatorio: su cita del martes 20 de mayo a las 10:30',
    html: page({
      ...{ preheader: 'Clínica Dental Alameda', brand: 'Clínica Dental Alameda', site: 'dentalalameda.example' },
      body: `<p>Estimada Lucía:</p><p>le recordamos su cita con la doctora Fuentes el martes 20 de mayo a las 10:30 en la calle Alameda 14, 2.º izquierda. Por favor, llegue diez minutos antes.</p>${button('https://dentalalameda.example/citas/8812', 'Confirmar la cita')}<p>Si necesita cambiar o cancelar la cita, puede hacerlo sin coste hasta 24 horas antes en el mismo enlace o llamando al 954 123 456.</p><p>Un saludo cordial,<br>El equipo de la clínica</p>`,
      footer: 'Clínica Dental Alameda S. L., Sevilla. Recibe este mensaje porque tiene una cita con nosotros.',
    }),
    text: null,
  },
  {
    name: 'newsletter, Spanish',
    subject: 'Novedades de mayo: nuevas rutas, mapas sin conexión y un descuento',
    html: page({
      ...{ preheader: 'Lo que hemos preparado para la primavera.', brand: 'Sendero', site: 'sendero.example' },
      body: `<p>Hola, Andrés:</p><p>este mes estrenamos 60 rutas por la sierra de Gredos y los mapas sin conexión para todos.</p><h2>Mapas sin conexión</h2><p>Descarga la zona antes de salir y olvídate de la cobertura. Gratis en la aplicación. <a href="https://sendero.example/mapas">Ver cómo funciona</a></p><h2>20 % de descuento en el plan anual</h2><p>Hasta el domingo, el plan anual cuesta 23,90 € en lugar de 29,90 €.</p>${button('https://sendero.example/planes', 'Ver los planes')}<p>¡Nos vemos en el monte!</p>`,
      footer: `Recibes este boletín porque te suscribiste en sendero.example. <a href="https://sendero.example/baja/44">Darse de baja</a>`,
    }),
    text: null,
  },
  {
    name: 'refund, Spanish',
    subject: 'Hemos tramitado el reembolso de su pedido 9921',
    html: page({
      ...{ preheader: 'El importe llegará en unos días.', brand: 'Zapatería Coral', site: 'zapateriacoral.example' },
      body: `<p>Hola, Marta:</p><p>hemos recibido la devolución de las botas del pedido 9921 y hemos tramitado el reembolso de 79,95 € en la tarjeta con la que pagó. Según su banco, puede tardar entre tres y cinco días laborables.</p>${button('https://zapateriacoral.example/pedidos/9921', 'Ver el pedido')}<p>Gracias por avisarnos de la talla; hemos corregido la ficha del producto.</p>`,
      footer: 'Zapatería Coral S. A., Elche. Atención al cliente: hola@zapateriacoral.example',
    }),
    text: null,
  },
  {
    name: 'weekly digest, English',
    subject: 'Your week in Harbor: 14 tasks done, 3 waiting for you',
    html: page({
      ...{ preheader: 'Monday 12 to Sunday 18 May', brand: 'Harbor', site: 'harborapp.example' },
      body: `<h2>Good work, Lena</h2>${rows([
        ['Tasks done', '14'],
        ['Comments', '31'],
        ['Waiting for you', '3'],
      ])}<ul><li><a href="https://harborapp.example/t/221">Review the pricing page copy</a>, due today</li><li><a href="https://harborapp.example/t/230">Send the contract to the bank</a>, due Wednesday</li><li><a href="https://harborapp.example/t/236">Update the team's account settings</a></li></ul>${button('https://harborapp.example/inbox', 'Open your inbox')}<p>Omar shared the document "Q3 plan" with you. <a href="https://harborapp.example/d/77">Open it in Harbor</a></p>`,
      footer: `You get this digest every Monday. <a href="https://harborapp.example/settings/email">Change how often</a> or <a href="https://harborapp.example/u/1">unsubscribe</a>. Harbor Works Inc., 1 Pier Road, Oakland.`,
    }),
    text: null,
  },
]
