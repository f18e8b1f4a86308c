// Contemporary emails for training, in addition to the old corpus: the language of shops, services, newsletters and fraud, in
// four languages. They were written for this; scoring is measured on other emails. First line: the subject.

const mails = (text: string): readonly string[] => text.split('\n---\n').map((one) => one.trim())

export const MODERN_HAM: readonly string[] = mails(`Confirm your email address
Hi there, welcome. Please confirm your email address to activate your account and get started. If you did not create an account, you can ignore this email.
---
Your receipt from Brightside Coffee
Thank you for your purchase. Here is your receipt. Order number 3391. Flat white, croissant, subtotal, tax, total. Paid with Visa. View your receipt online or download the app to collect points. Questions about your order? Contact us or visit our help center. See you soon.
---
Welcome to Notable! Here is how to get started
Hi Anna, thanks for signing up. Your free trial has started and lasts 14 days. Create your first project, invite your team, and connect your calendar. No credit card needed. Click the button below to get started. Need help? Our support team is here for you. You can unsubscribe from these emails at any time.
---
Flash sale: 30% off everything this weekend only
Our biggest sale of the season is here. Save 30% on all styles, online and in stores, now through Sunday. Free shipping on orders over $50 and free returns. Shop new arrivals, best sellers, women, men, kids and home. Use code WEEKEND at checkout. Limited time offer, exclusions apply. View in browser. Unsubscribe. Privacy policy. Terms and conditions.
---
Your subscription will renew on June 3
Hello, this is a reminder that your annual subscription renews automatically on June 3 for $99. We will charge the card on file. If you want to make changes or cancel, go to your account settings before that date. Thank you for being a customer.
---
Your verification code is 481 220
Use this code to sign in. It expires in ten minutes. If you did not request this code, you can safely ignore this email. Do not share this code with anyone.
---
Payment received, thank you
We have received your payment of $420.00 for invoice 1882. A copy of the invoice is attached to this email for your records. Your account balance is now zero. Thank you for your business. If you have any questions please contact our billing department.
---
Your flight is tomorrow: check in now
Check in online and choose your seat. Your boarding pass will be available in the app. Please arrive at the airport two hours before departure. Baggage allowance, travel documents, and special offers on hotels and rental cars. Earn miles with every flight.
---
We have updated our privacy policy
We are writing to let you know about changes to our terms of service and privacy policy that take effect on July 1. You do not need to do anything. By continuing to use our services after that date you agree to the updated terms. Please read the full document on our website.
---
You left something in your cart
Still thinking it over? The items in your cart are waiting for you. Complete your order today and get free shipping. Great products at great prices, loved by thousands of customers. Shop now. 100% money back guarantee, 30 day returns.
---
Your statement is ready
Your monthly account statement is now available online. To view it, sign in to your account in the app or on our website. For your security we do not include links that ask for your password. You can change your email preferences at any time.
---
New job matches for you: product designer
Here are the latest jobs that match your search. Apply now with your profile. Salary from $85,000. Full time, remote, benefits. Companies are looking for people like you. See all jobs. Update your preferences or turn off these job alerts.
---
Join us for a free webinar on June 10
Learn how leading teams plan their marketing campaigns. Register now for our free live webinar. Speakers, agenda, questions and answers. Can't make it? Register anyway and we will send you the recording. Add to calendar. Forward to a friend.
---
Your monthly impact: thank you for your donation
Because of donors like you, 1,200 families received food and clean water last month. Your gift of $25 makes a difference. Read their stories. Your donation is tax deductible. Would you like to increase your monthly gift? Donate now. Update your payment information in your account.
---
Someone sent you a message
You have a new message from Carlos about your listing. Reply to keep the conversation going. For your safety, keep payments and messages on our platform. Download our free app for iPhone and Android. You received this email because you have an account with us.
---
Rate your recent purchase and help other customers
Hi, how did we do? Tell us what you think about your new headphones. Your review helps others make the right choice. It only takes a minute. Click the stars to rate. Thanks for shopping with us.
---
Credit card statement: your points are about to expire
You have 4,300 reward points. Redeem them for gift cards, travel or cash back before the end of the month. See all rewards. Manage your card in the app. Interest rates and terms apply.
---
Weekly newsletter: markets, interest rates and what to watch
Good morning. Stocks rose on Friday as investors waited for news on inflation. The bank kept interest rates unchanged. Bitcoin and other crypto assets fell. Here is what you need to know this week. Subscribe to our premium edition for full access. Not financial advice.
---
Your mortgage application: next steps
Thank you for your application. Your adviser will call you to go through the documents we need: payslips, bank statements and proof of address. Upload them in your secure account. Rates may change. Your home may be repossessed if you do not keep up repayments.
---
Health reminder: your prescription is ready
Your prescription is ready for pick up at your pharmacy. Opening hours, address and phone number are below. Please bring identification. If you have questions about your medicine ask your doctor or pharmacist. To stop these reminders, reply stop or change your preferences.
---
Version 4.2 is out: faster builds and a new dashboard
We are happy to announce version 4.2. Highlights: faster builds, a new dashboard, better error messages and security fixes. Upgrade with one command. Read the full release notes. Thanks to everyone who contributed. Join our community and follow us.
---
Your tickets for Saturday are here
Thanks for your order. Your tickets are attached. Show the code on your phone at the entrance. Doors open at seven. No refunds or exchanges. Parking information and venue map. Have a great night!
---
Monthly report for your website
Visitors, page views, search traffic and top pages for last month. Your site was found 12,000 times in Google search. See the full report in your dashboard. Tips to improve your ranking. You can change how often you get this report.
---
Congratulations on finishing your course
You have completed the course and earned a certificate. Download it and share it with your network. Ready for the next step? Save 40% on all courses until Sunday. Learn at your own pace, start today.
---
Loan application received
Hello, we have received your application and will give you a decision within two working days. There is nothing you need to do now. If we need more information we will contact you through your online account. Your reference number is below.
---
Hotel booking confirmed
Your booking is confirmed. Check in from three, check out until eleven. Free cancellation until two days before arrival. Breakfast included. Total price, taxes and fees. Manage your booking, contact the property, or get help. Enjoy your stay!
---
Payment overdue: invoice 5521
Hello, our records show that invoice 5521 is still unpaid. It was due on the third of the month. Please arrange payment at your earliest convenience. A copy of the invoice is attached. If your payment is already on its way, please disregard this reminder. Kind regards, accounts receivable.
---
Second reminder for your outstanding balance
Dear Ms Green, we wrote to you two weeks ago about the outstanding balance on your account and have not had a reply. Please pay the full amount within ten days. Late fees may apply after that date. If you have a question about this bill, or would like to pay in instalments, please call our office.
---
We could not process your payment
Hi, your last payment did not go through because the card was declined. We will try again in three days. To avoid any interruption, please update your payment details in your account settings. If you need help, reply to this message and our support team will be happy to assist.
---
Your plan has been downgraded
Hi there, because we could not collect your last payment, your workspace was moved to the free plan. Your data is safe. Add a valid credit card to get your paid features back. Questions? Just reply to this email.
---
Final demand before court action
Dear Sir, despite our earlier letters you still owe us for the work completed in March. Unless we receive the full sum within fourteen days, we will issue a claim in the county court without further notice, and ask for interest and costs. Payment can be made by bank transfer to the account shown on our invoice. Yours faithfully.
---
Notice from our collections department
Dear customer, your account has been referred to our collections department because the balance remains unpaid. Please contact us within seven days to pay or to agree a payment plan. If you dispute this debt, please tell us in writing. This is an attempt to collect a debt and any information obtained will be used for that purpose.
---
Your direct debit was returned
Dear member, your bank returned the direct debit for your monthly fee. Please make sure there is enough money in your account; we will collect the amount again on the fifteenth together with a fee of $5.00. If your bank details have changed, please let us know.
---
Rent for May not received
Dear tenants, we have not received your rent for May. Please transfer the outstanding amount to the usual account without delay. If there is a problem, please talk to us so that we can find a solution. Regards, the property management.
---
Service will be disconnected
Your electricity account is past due. To keep your service on, please pay the past due amount of $88.40 by Friday. You can pay online, by phone, or at any payment location. If you have already paid, thank you. If you cannot pay the full amount, call us to ask about payment arrangements.
---
Your school fees are due
Dear parents, a friendly reminder that school fees for the second term are due by the end of the month. Please use your child's name as the reference. Families who need more time should contact the office. Thank you for your prompt payment.
---
Annual membership dues
Dear member, it is time to renew your membership. Dues for the coming year are sixty dollars. Please send a check or pay on our website before the end of January. Your support makes our programs possible. Thank you.
---
Your claim has been paid
Dear policyholder, we have settled your claim and sent the payment to your bank account today. Depending on your bank it may take up to three working days to arrive. Please keep this letter for your records. If you have any questions about the amount, please call your claims handler.
---
We need more information for your claim
Dear Mr Ito, to continue with your insurance claim we need a copy of the police report and the repair estimate. Please send them by reply to this email or upload them to your claim online. We will not be able to decide on your claim before we have them.
---
Your loan payment is due on the first
This is a reminder that your monthly loan payment of $310.00 is due on the first. The amount will be debited from your bank account automatically. Please make sure that funds are available. You can see your balance and interest rate when you log in.
---
Your credit application was not approved
Dear Ms Novak, thank you for your interest. After careful review we are unable to approve your credit application at this time. You have the right to a free copy of your credit report. You may apply again after six months.
---
Tax document available
Your tax form for last year is now available. Log in to your account to download it. You will need it to file your tax return. We cannot give tax advice; please ask your tax adviser if you have questions.
---
Your refund has been approved
Hello, your return has been received and your refund of $59.00 was approved. The money will be credited to the card you paid with within five to seven business days. Sorry that it did not work out this time.
---
Your payout is on its way
Hi Lee, we have sent a payout of $1,204.50 to your bank account. It should arrive within two business days. You can see the details of each order in your payments dashboard. Thank you for selling with us.
---
Transfer received
You have received a payment of $250.00 from M. Okafor. The money has been added to your balance. You can transfer it to your bank account at any time. If you do not recognise this payment, please contact us.
---
Low balance alert
The balance of your checking account is below the limit of $100 that you have set. Make a deposit to avoid overdraft fees. You can change or turn off these alerts in the app.
---
Large purchase on your card
A purchase of $612.00 was made with your credit card at an electronics store today. If this was you, no action is needed. If you do not recognise this transaction, please call the number on the back of your card.
---
Your bank statement and notice of changes
Dear customer, please find attached your statement of account. From the first of next month our fees for international transfers change as shown in the enclosed notice. Please read it carefully. If you do not agree you may close your account free of charge.
---
Changes to your interest rate
Dear client, we are writing to let you know that the interest rate on your savings account will change next month. You do not need to do anything. The new rate will be applied to your balance automatically.
---
Payslip for May
Your payslip for May is now available in the staff portal. If you believe there is an error in your pay, please contact payroll before the tenth. Please do not reply to this automatic message.
---
Action needed: complete your timesheet
Hi team, please submit your timesheet by noon today so that we can run payroll. If you do not submit it in time, your payment will be delayed until next month. Thanks, finance.
---
Your quote and next steps
Hi Paul, thank you for your call. Attached is our quote for the new windows. The price includes delivery and installation and is guaranteed for thirty days. To go ahead please sign and return it with a deposit of 20 percent. Let me know if you have any questions.
---
Your seller account: please provide business details
Hello, new rules require us to collect information about businesses that sell on our marketplace. Please log in and complete your business details before the end of the month. If we do not receive them, we will have to hold your payments until they are complete.
---
Your domain expires in 7 days
Your domain name expires in seven days. If it is not renewed, your website and email will stop working and someone else may register the name. Renew now in your control panel. Automatic renewal is turned off for this domain.
---
Toll invoice
You have an unpaid toll from a trip on the ninth. Amount due: $6.20. Please pay by the due date printed on the invoice you got by mail to avoid a late fee. You can pay in your account, by mail or at our service centers.
---
Your appointment deposit was refunded
Hi Mia, as you canceled more than a day ahead we have returned your deposit of $30 to your card. We hope to see you another time. Call us or book online whenever you like.
---
Invoice for our services
Dear client, please find attached our invoice for professional services in April. We would appreciate payment within thirty days. Our bank details are on the invoice. Thank you for your business, it is a pleasure to work with you.
---
Your account will be closed for inactivity
Hello, you have not signed in to your account for two years. We close inactive accounts to protect the data of our users. To keep your account, sign in before the first of July. If you no longer need it you do not have to do anything.
---
Finish signing up
Hello, thank you for signing up. Follow the link below to verify that this address is yours. The link works for one day. If it has expired, request a new one on the sign-in page. If you did not sign up, no account was made and you can delete this email.
---
Please verify your new email address
You changed the email address of your account. Click the link below to verify the new one; until then we keep writing to the old one. The link expires in two hours.
---
Team lunch on Friday?
Hi all, are you free for lunch on Friday? I was thinking of the new place near the office. Please let me know by Wednesday so I can book a table. Also, the budget meeting moved to Monday. Thanks, see you then.
---
Ihre Bestellung ist unterwegs
Guten Tag, vielen Dank für Ihre Bestellung. Wir haben Ihr Paket heute an den Versand übergeben. Lieferung voraussichtlich am Freitag. Bestellnummer, Artikel, Menge, Preis, Versandkosten, Gesamtsumme. Sendung verfolgen. Bei Fragen wenden Sie sich bitte an unseren Kundenservice. Widerrufsbelehrung und AGB finden Sie im Anhang.
---
Jetzt sparen: 20 Prozent auf alles
Nur dieses Wochenende: 20 Prozent Rabatt auf das gesamte Sortiment, kostenloser Versand ab 40 Euro. Entdecken Sie unsere neuen Produkte. Jetzt einkaufen. Gutschein an der Kasse eingeben. Angebot gültig solange der Vorrat reicht. Newsletter abbestellen, Datenschutz, Impressum.
---
Bitte bestätigen Sie Ihre Anmeldung
Hallo, schön, dass Sie dabei sind. Bitte bestätigen Sie Ihre E-Mail-Adresse mit einem Klick auf den Button, damit wir Ihnen den Newsletter schicken dürfen. Falls Sie sich nicht angemeldet haben, können Sie diese E-Mail ignorieren.
---
Ihre Rechnung und Ihr Vertrag
Sehr geehrte Damen und Herren, anbei erhalten Sie die Rechnung für diesen Monat. Der Betrag wird von Ihrem Konto abgebucht. Ihre Kundennummer und Vertragsnummer finden Sie oben. Mit freundlichen Grüßen, Ihr Kundenservice.
---
Passwort zurücksetzen
Hallo, Sie haben angefordert, Ihr Passwort zurückzusetzen. Klicken Sie auf den Link, um ein neues Passwort zu wählen. Der Link ist eine Stunde gültig. Wenn Sie das nicht waren, können Sie diese Nachricht ignorieren.
---
Einladung zur Veranstaltung am Donnerstag
Liebe Mitglieder, wir laden Sie herzlich zu unserer Veranstaltung ein. Der Eintritt ist frei, bitte melden Sie sich an. Wir freuen uns auf Sie. Programm, Anfahrt und weitere Informationen auf unserer Website. Sie erhalten diese Nachricht, weil Sie sich angemeldet haben.
---
Votre commande est confirmée
Bonjour, merci pour votre commande. Voici le récapitulatif : articles, quantité, prix, frais de livraison, total. Votre colis sera livré à l'adresse indiquée. Suivre ma commande. Une question ? Notre service client vous répond. À bientôt sur notre site.
---
Offre de la semaine : livraison gratuite
Profitez de 25 % de réduction sur une sélection d'articles et de la livraison gratuite dès 40 euros, jusqu'à dimanche. Découvrez les nouveautés. J'en profite. Vous recevez cet e-mail car vous êtes inscrit à notre lettre. Se désinscrire. Conditions générales de vente.
---
Confirmez votre adresse e-mail
Bonjour et bienvenue. Merci de confirmer votre adresse e-mail en cliquant sur le bouton ci-dessous pour activer votre compte. Si vous n'avez pas créé de compte, vous pouvez ignorer ce message.
---
Votre facture est disponible
Bonjour, votre facture du mois est disponible dans votre espace client. Le montant sera prélevé sur votre compte. Vous n'avez rien à faire. Cordialement, votre service client.
---
Réinitialisation de votre mot de passe
Bonjour, vous avez demandé à réinitialiser votre mot de passe. Cliquez sur le bouton ci-dessous pour en choisir un nouveau. Ce lien expire dans une heure. Si vous n'êtes pas à l'origine de cette demande, ignorez ce message.
---
Su pedido ha sido enviado
Hola, gracias por su compra. Su pedido ya está en camino y llegará el viernes. Número de pedido, artículos, cantidad, precio, gastos de envío, total. Seguir el envío. Si tiene alguna pregunta, póngase en contacto con nuestro servicio de atención al cliente.
---
Rebajas: hasta el 50 % de descuento
Este fin de semana, hasta el 50 % de descuento en toda la tienda y envío gratis a partir de 40 euros. Descubre las novedades. Comprar ahora. Oferta válida hasta agotar existencias. Recibes este correo porque estás suscrito. Darse de baja. Política de privacidad.
---
Confirme su dirección de correo
Hola, bienvenido. Para activar su cuenta, confirme su dirección de correo electrónico con el botón siguiente. Si no ha creado una cuenta, puede ignorar este mensaje.
---
Su factura de este mes
Estimado señor, adjuntamos la factura de este mes. El importe se cargará en su cuenta bancaria. No tiene que hacer nada. Puede consultar sus facturas en su área de cliente. Un saludo.
---
Restablecer la contraseña
Hola, hemos recibido una solicitud para restablecer la contraseña. Haga clic en el enlace para elegir una nueva. El enlace caduca en una hora. Si no ha sido usted, ignore este mensaje.`)

export const MODERN_SPAM: readonly string[] = mails(`Your mailbox storage is full
Dear user, your mailbox has exceeded its storage limit and you can no longer send or receive messages. Click here to upgrade your storage now, otherwise your account will be deactivated. Webmail administrator.
---
Invoice overdue: immediate payment required
Dear sir or madam, please find attached the overdue invoice. Kindly make the payment today to avoid legal action. Enable content to view the document. Accounts department.
---
Security alert: unusual sign-in attempt
We detected an unusual sign-in attempt on your account. Your account has been temporarily locked. Verify your identity immediately by clicking the link below or your account will be permanently suspended.
---
Your account will be terminated
Dear customer, our records show that your billing information is out of date. Update your information within 24 hours to avoid termination of your account. Click here to verify.
---
You have been selected
Congratulations! You have been chosen to receive a brand new smartphone. Complete a short survey and claim your reward now. Only a few left. Pay a small shipping fee. Act now!
---
Investment opportunity
Dear friend, I am a foreign investor with a large sum of money to invest in your country through you. Kindly reply for more details. God bless you.
---
Urgent response needed
I am the wife of a late general. I need your assistance to transfer the sum of twenty million dollars out of my country. You will be compensated. Reply to my private email.
---
Make money with crypto trading
Join our automated trading platform and earn up to 300% profit every week. Guaranteed returns, withdraw anytime. Deposit as little as $250 and start making money today. Thousands of people already quit their jobs.
---
Hot deals on medication
Buy cheap pills online without prescription. Viagra, Cialis and more. Discreet shipping worldwide. Lowest prices guaranteed. Order now and get bonus pills for free. Satisfaction guaranteed for your manhood.
---
Lose weight without diet or exercise
This one weird trick melts belly fat overnight. Doctors are shocked. Lose 30 pounds in 30 days, guaranteed. Risk free trial bottle. Supplies are limited, click here now before it is too late.
---
Exclusive casino bonus
Claim your welcome bonus of 500 free spins. Play the best online casino games and win real money jackpots. No deposit required. Sign up now and start winning.
---
Lonely? Meet hot singles tonight
Beautiful women in your area are waiting to meet you. See their private photos now. Free membership, no credit card. Adults only. Click here to chat with sexy girls tonight.
---
Get your website to the first page of Google
Hello, I found your website and noticed it is not ranking. We offer affordable SEO services, guaranteed first page ranking, backlinks and targeted traffic. Reply for our price list and packages.
---
Instant loan approval, bad credit ok
Get cash today up to $5,000. No credit check, instant approval, money in your account in minutes. Bad credit is no problem. Apply now, limited offer.
---
Replica watches at wholesale prices
Luxury replica watches, bags and shoes. Perfect copies at a fraction of the price. Rolex, Gucci, Louis Vuitton. Free worldwide shipping. Order now while stocks last.
---
I have your data
I hacked your computer and have access to all your files, your camera and your contacts. Pay me in bitcoin or I will publish everything. You have two days. Do not tell anyone.
---
Work from home and earn $5,000 per week
No experience needed. Be your own boss, set your own hours and achieve financial freedom. This simple system makes money while you sleep. Limited spots, join now for free.
---
Please handle this payment
I need you to make a wire transfer to a new vendor this morning. I am in a meeting, reply by email only. Let me know as soon as it is done and send me the confirmation. It is urgent.
---
Your computer is at risk
Warning: your antivirus subscription has expired and viruses were detected. Renew now with 80% discount to protect your computer, or call our certified technicians immediately.
---
Final notice: unpaid toll
You have an unpaid toll. Pay now to avoid a late fee and suspension of your driving licence. Follow the link to settle the outstanding balance immediately.
---
Ihr Konto wurde eingeschränkt
Sehr geehrter Kunde, wir haben ungewöhnliche Aktivitäten festgestellt und Ihr Konto vorübergehend eingeschränkt. Bitte bestätigen Sie umgehend Ihre Identität, sonst wird Ihr Zugang dauerhaft gesperrt. Jetzt bestätigen.
---
Letzte Mahnung
Sehr geehrter Kunde, trotz mehrfacher Mahnung haben Sie nicht bezahlt. Wenn Sie nicht sofort zahlen, wird das Inkasso eingeleitet. Öffnen Sie die Datei im Anhang und überweisen Sie den Betrag noch heute.
---
Schnelles Geld mit Bitcoin
Verdienen Sie täglich tausend Euro von zu Hause, garantiert und ohne Risiko. Die geheime Methode der Millionäre. Jetzt anmelden, nur noch wenige Plätze frei.
---
Sie haben gewonnen
Herzlichen Glückwunsch, Ihre E-Mail-Adresse hat in der Lotterie eine Million Euro gewonnen. Senden Sie uns Ihren Namen und Ihre Telefonnummer, um den Gewinn zu erhalten.
---
Votre compte est bloqué
Cher client, une activité inhabituelle a été détectée. Votre compte est bloqué. Veuillez confirmer vos informations immédiatement en cliquant ici, sinon votre compte sera fermé définitivement.
---
Vous avez gagné
Félicitations, vous êtes l'heureux gagnant de notre loterie. Pour recevoir votre gain, envoyez vos coordonnées et payez les frais de dossier. Répondez vite.
---
Gagnez de l'argent facilement
Gagnez mille euros par jour sans effort depuis chez vous grâce au trading automatique. Revenus garantis, sans risque. Inscrivez-vous maintenant, places limitées.
---
Su cuenta ha sido suspendida
Estimado cliente, hemos detectado actividad sospechosa. Su cuenta ha sido suspendida. Verifique sus datos de inmediato en el siguiente enlace o será cerrada definitivamente.
---
Ha ganado un premio
Enhorabuena, usted es el ganador de nuestro sorteo. Para recibir el premio envíe sus datos y pague los gastos de gestión. Responda hoy mismo.
---
Gane dinero desde casa
Gane mil euros al día sin experiencia con nuestro sistema secreto. Ganancias garantizadas, sin riesgo. Regístrese ahora, plazas limitadas.`)
