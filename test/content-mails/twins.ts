// For rules that see a crime in words that stand together: the crime, and honest mails in the same words. Subject and text.

export interface Twins {
  /** Of these a fraud breaks one at least, and no honest mail breaks any. */
  readonly rules: readonly string[]
  readonly fraud: readonly (readonly [subject: string, text: string])[]
  readonly honest: readonly (readonly [subject: string, text: string])[]
}

const WALLET = 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh'

export const TWINS: readonly Twins[] = [
  {
    rules: ['extortion', 'spied_upon'],
    fraud: [
      [
        'You have been recorded',
        `I hacked your computer and recorded you with your webcam while you watched porn. Pay $900 in Bitcoin to ${WALLET} or I will send the video to all your contacts.`,
      ],
      [
        'Ihr Gerät',
        'Ich habe Ihr Gerät gehackt und Sie mit Ihrer Kamera gefilmt. Überweisen Sie 800 Euro in Bitcoin, sonst schicke ich das Video an Ihre Familie und alle Ihre Kontakte. Ich werde es löschen, sobald Sie bezahlt haben.',
      ],
      [
        'Votre secret',
        `J'ai piraté votre appareil et j'ai filmé vos moments intimes avec votre caméra. Envoyez 700 € en bitcoin à ${WALLET}, sinon je vais envoyer la vidéo à vos contacts et à votre famille.`,
      ],
      [
        'Su cámara',
        `He instalado un programa en su dispositivo y le he grabado con su cámara. Pague 900 euros en bitcoin a ${WALLET} o voy a enviar el vídeo a todos sus contactos.`,
      ],
      [
        'Your network',
        'We have encrypted your files and hold the stolen data of your customers. Pay 4 bitcoin within three days. If you do not pay, we will publish your data.',
      ],
    ],
    honest: [
      [
        'Meet your new doorbell',
        'Our new doorbell camera records video when someone comes to your door. Your video stays on your device. We accept cards and Bitcoin. 89 EUR.',
      ],
      [
        'Your webcam has shipped',
        'Your HD webcam has shipped. Watch the setup video at https://cameras.example/setup. You chose to pay by bank transfer or bitcoin.',
      ],
      [
        'Call for papers: online abuse',
        'We invite papers on sextortion, in which criminals claim that malware recorded a victim with a webcam and demand bitcoin to keep the video from friends and family. Submit by 1 June: https://workshop.example/cfp',
      ],
      [
        'The river, our film',
        `Our documentary video about the river is online, and all who helped are in it. If you like what we recorded, you can donate in Bitcoin: ${WALLET}. Thank you, the crew.`,
      ],
      [
        'Weekly security news',
        'Ransomware: a hospital was offline for two days after an attack. The attackers wanted 40 bitcoin and published stolen data when nobody paid. The hospital restored its files from copies.',
      ],
      [
        'Neue Kamera für Ihr Haus',
        'Unsere neue Kamera nimmt Videos auf und schickt sie an Ihr Handy. Familie und Freunde können mitsehen. Sie bezahlen per Rechnung, Karte oder Bitcoin.',
      ],
      [
        'Recording of the talk',
        'Hi Lena, I have recorded the Bitcoin talk with the webcam of room 4. The video is on the drive, and the colleagues of the trading desk have it too. Shall we pay the speaker now?',
      ],
    ],
  },
  {
    rules: ['card_errand', 'chief_order'],
    fraud: [
      [
        'Quick favour',
        'Are you available? I am in a meeting. I need you to buy five Amazon gift cards, scratch them and send me the codes. I will reimburse you today.',
      ],
      [
        'Gift cards',
        'Could you purchase 6 Steam cards of $100 each for a client? Then send me photos of the codes on the back.',
      ],
      [
        'Kurze Bitte',
        'Kannst du bitte vier Amazon-Gutscheine zu je 100 Euro kaufen und mir die Codes schicken? Ich erstatte dir das Geld morgen.',
      ],
      [
        'Petit service',
        'Peux-tu acheter cinq cartes cadeaux de 100 € pour un client et m’envoyer les photos des codes au dos ? Je te rembourse ce soir.',
      ],
      [
        'Un favor',
        'Necesito que compres cuatro tarjetas regalo de 100 € y que me mandes fotos de los códigos. Te lo pago mañana, no se lo digas a nadie.',
      ],
    ],
    honest: [
      [
        'Your order of gift cards',
        'Hello Dana, your order of 25 Amazon gift cards has been processed. The codes are in your business account: https://rewards.example/orders',
      ],
      [
        'How to use your gift card',
        'Your gift card is enclosed. Scratch the panel on the back, enter the code at check-out, and the balance is taken off what you pay today.',
      ],
      [
        'Last-minute present?',
        'Gift cards make everybody happy. Buy them online today, choose the amount, and we send the codes by email within minutes.',
      ],
      ['Thank you', 'Dear Ruth, thank you so much for the gift card, we had a lovely evening.\n\nSent from my iPhone'],
      [
        'Ihre Gutscheine',
        'Vielen Dank für Ihre Bestellung. Ihre Gutscheine finden Sie im Anhang, die Codes gelten bis Ende 2027. Bei Rückgabe erstatten wir den Betrag.',
      ],
      [
        'Deposit for the venue',
        'Hi Jo, the bank transfer for the venue went out this morning. I am in a meeting until three.\n\nSent from my iPhone',
      ],
    ],
  },
  {
    rules: ['redirected_payment', 'bank_change'],
    fraud: [
      [
        'New bank details',
        'Dear partner, our bank account has changed. Please send all future payments to the new IBAN in the attached letter, and confirm today.',
      ],
      [
        'Neue Bankverbindung',
        'Unsere Bankverbindung hat sich geändert. Bitte überweisen Sie die offene Rechnung ab sofort auf unser neues Konto, IBAN DE02120300000000202051.',
      ],
      [
        'Neue Bankverbindung',
        'Guten Tag, wegen einer Prüfung hat sich unsere Bankverbindung geändert. Bitte überweisen Sie die offene Rechnung noch heute auf das neue Konto. Die neue IBAN steht auf der Rechnung, die Sie per Post erhalten haben. Ein Anruf ist nicht nötig.',
      ],
      [
        'Neue Kontodaten',
        'Sehr geehrte Damen und Herren, künftig gilt unsere neue IBAN LT12 1000 0111 0100 1000. Bitte überweisen Sie die Rechnung auf das neue Konto. Die neue IBAN finden Sie auch auf der Rechnung.',
      ],
      [
        'Updated account details',
        'Dear Ms Lind, our bank account has changed. Please send all future payments to the new account; you will find its number on the invoice attached.',
      ],
      [
        'New account',
        'Our bank has changed. Please send all future payments to the new account, its number stands in your customer account: https://pay-portal.example/in',
      ],
      [
        'New bank account',
        'Please note that our bank details have changed. Kindly remit the outstanding payment to our new account. There is no need to verify by phone, I am in a meeting.',
      ],
    ],
    honest: [
      [
        'My new account',
        'Hi Tom, I changed banks this month. My new IBAN is DE02120300000000202051, please use it for the next invoice. You have my phone number, feel free to call me to check.',
      ],
      [
        'Neue Bankverbindung',
        'Lieber Jan, ich habe die Bank gewechselt: Bitte überweise die Rechnung auf das neue Konto. Du hast meine Nummer, ruf gern an und frag nach.',
      ],
      [
        'Änderung unserer Bankverbindung',
        'Guten Tag, zum 1. Januar wechseln wir die Bank. Die neue IBAN finden Sie auf der nächsten Rechnung und in Ihrem Kundenkonto. Bitte prüfen Sie die Änderung telefonisch unter der Ihnen bekannten Nummer, bevor Sie zahlen.',
      ],
      [
        'Miete ab Januar',
        'Die Hausverwaltung hat das Konto gewechselt. Bitte überweisen Sie die Miete ab Januar auf das neue Konto. Den Brief dazu haben Sie per Post erhalten.',
      ],
      [
        'Beiträge',
        'Liebe Mitglieder, wir haben das Konto gewechselt. Bitte überweisen Sie Beiträge künftig auf unser Konto bei der GLS Bank; die IBAN steht im Mitgliederheft.',
      ],
      [
        'Membership fees',
        'Dear members, our club has changed its bank. From now on please pay your fees to our new account; its number is printed in the handbook and in the letter you got by post.',
      ],
      [
        'Cambio de banco',
        'Estimados socios: hemos cambiado de banco. Por favor, hagan las transferencias a partir de enero a la nueva cuenta. El IBAN figura en la carta que recibieron por correo postal.',
      ],
    ],
  },
  {
    rules: ['prize_shipping', 'advance_fee', 'fortune_offer'],
    fraud: [
      [
        'You have won',
        'Congratulations, you have been selected as our winner of an iPhone. Claim your prize now, you only pay shipping of $4.95 today.',
      ],
    ],
    honest: [
      [
        'School raffle',
        'Dear Mrs Lane, congratulations, you won the second prize in our raffle, a picnic basket. Please collect it from the school office by Friday.',
      ],
      [
        'Tombola',
        'Liebe Frau Roth, herzlichen Glückwunsch, Sie haben bei unserer Tombola den dritten Preis gewonnen, einen Korb Äpfel. Sie können ihn im Vereinsheim abholen.',
      ],
    ],
  },
  {
    rules: ['secret_payment', 'chief_order'],
    fraud: [
      [
        'Are you at your desk?',
        'I am in a meeting and cannot talk. I need a wire transfer of 48,000 euros to go out today for an acquisition. Keep this confidential until it is announced, and reply only by email.',
      ],
      [
        'Dringend',
        'Ich bin in einer Besprechung und kann nicht telefonieren. Bitte veranlassen Sie heute noch eine Eilüberweisung über 39.500 Euro und sprechen Sie mit niemandem darüber, die Übernahme ist streng vertraulich.',
      ],
    ],
    honest: [
      [
        'Invoice 4411',
        'Hi Mark, the bank transfer for invoice 4411 went out today. Kind regards, Ines\n\nThis e-mail is confidential and intended only for the addressee.',
      ],
      [
        'Minutes',
        'Hi all, I am on a call until two. The payment for the hall is due on Friday, please keep the guest list confidential until then.',
      ],
      [
        'Acquisition of Harlow Ltd',
        'Dear clients, we have completed the acquisition of Harlow Ltd. Payments to Harlow continue as before. This email is confidential.',
      ],
    ],
  },
  {
    rules: ['family_emergency'],
    fraud: [
      [
        'Hi Mum',
        'Hi Mum, my phone is broken, this is my new number. I have to settle a bill today and my banking app does not work yet. Can you pay it for me? I will pay you back tomorrow.',
      ],
      [
        'Hallo Mama',
        'Hallo Mama, mein Handy ist kaputt, das ist meine neue Nummer. Ich muss heute noch eine Rechnung bezahlen. Kannst du das für mich überweisen?',
      ],
      [
        'Coucou maman',
        'Coucou maman, mon téléphone est cassé, voici mon nouveau numéro. Je dois régler une facture aujourd’hui, peux-tu faire le virement pour moi ?',
      ],
    ],
    honest: [
      ['Photos', 'Hi Mum, my new phone arrived, same number. I will send photos today.'],
      [
        'Neue Nummer',
        'Hallo Mama, ich habe eine neue Nummer und WhatsApp. Die Rechnung vom Handy habe ich heute bezahlt.',
      ],
    ],
  },
  {
    rules: ['false_investment', 'trading_bait', 'brand_without_link', 'card_errand', 'chief_order', 'family_emergency'],
    fraud: [
      [
        'Safe profit',
        'Other people are scammers. We promise guaranteed returns: double your Bitcoin in 24 hours. Invest $250 now at https://double-coin.example/',
      ],
      [
        'Never lose',
        'Scammers never sleep. Our trading platform makes guaranteed profit of 12% per day with Bitcoin. Deposit now: https://fx.example',
      ],
      [
        'Quick task',
        'Are you available? I need you to buy five Apple gift cards and send me photos of the codes. Beware of scammers, only use this address. I will reimburse you.',
      ],
      [
        'Sichere Rendite',
        'Vorsicht vor Betrügern! Bei uns ist der Gewinn garantiert: Investieren Sie 250 Euro in Bitcoin, und verdoppeln Sie Ihre Bitcoin in einer Woche.',
      ],
      [
        'Petit service',
        'Attention aux escrocs. Peux-tu acheter cinq cartes cadeaux de 100 € et m’envoyer les photos des codes au dos ? Je te rembourse ce soir.',
      ],
    ],
    honest: [
      [
        'Crypto weekly',
        'Bitcoin lost 12% this week. Scammers promise guaranteed returns and double your money: do not send crypto to strangers. https://news.example/crypto',
      ],
      [
        'Tax news',
        'Exchanges now report your Bitcoin sales to the IRS. Investment profits over a year are taxed at lower rates. There is no guaranteed return. https://money.example/tax',
      ],
      [
        'Village newsletter',
        'The summer fair is on Saturday. Police warning: scammers pretend to be your boss and ask you to buy Apple gift cards and send photos of the codes. Never do it. https://village.example/news',
      ],
      [
        'Dorfblatt',
        'Die Polizei warnt: Betrüger versprechen garantierte Gewinne mit Bitcoin und verdoppeln angeblich Ihr Geld. Überweisen Sie nichts an Fremde. https://dorf.example',
      ],
      [
        'Bulletin du village',
        'La police met en garde : des escrocs promettent un rendement garanti en bitcoin. Ne versez rien à des inconnus. https://village.example',
      ],
      [
        'Boletín del pueblo',
        'La policía advierte: los estafadores prometen ganancias garantizadas con bitcoin. No envíe nada a desconocidos. https://pueblo.example',
      ],
    ],
  },
  {
    rules: ['qr_lure'],
    fraud: [
      [
        'Microsoft 365: authenticator expires',
        'Your Microsoft 365 authenticator expires today. Scan the QR code below with your mobile phone to verify your account within 24 hours.',
      ],
    ],
    honest: [
      [
        'Set up your authenticator app',
        'Hi Tom, from Monday you sign in with two factors. Set up your authenticator app for Microsoft 365. Scan the QR code shown on the setup page: https://intranet.harlow.example/mfa',
      ],
    ],
  },
  {
    rules: ['overpayment', 'recovery_offer', 'chance_acquaintance', 'false_renewal'],
    fraud: [
      [
        'Your listing',
        'Hello, is it still for sale? My secretary will mail you a check, it includes the fee of the shipping agent. Once it is cashed, deduct your money and send the rest by Zelle to the movers.',
      ],
      [
        'Recover your lost crypto',
        'Have you lost money to a crypto scam? Our certified recovery experts have recovered millions in stolen Bitcoin. No upfront fee. Contact us on WhatsApp.',
      ],
      [
        'Hello from Singapore',
        'Hi, this is Mia. I think I got your contact by mistake. You seem kind. My uncle taught me how to trade crypto and I can teach you too. Add me on WhatsApp.',
      ],
      [
        'Domain SEO expiration',
        'The SEO service of your domain expires. This is the final notice. Failure to renew your domain SEO listing makes it hard for customers to find you. Pay $75 now: https://listing.example/pay',
      ],
    ],
    honest: [
      ['Your refund', 'Hi Kate, we mail you a check for the difference of $48.20, or send it by Zelle. Tell us which.'],
      [
        'The move',
        'Hi Jo, the movers come on Monday. I paid the deposit by check, the rest is due when they are done.',
      ],
      [
        'Money matters',
        'Scammers call victims again: recovery experts promise to get stolen bitcoin back and ask for a fee upfront. Contact us at the desk if they wrote to you.',
      ],
      ['Sorry', 'Hi Ana, I wrote to the wrong person by mistake, the minutes were for Anna. My uncle says hello.'],
      [
        'Your SEO package',
        'Hi Lou, your SEO package for your domain harlow.example ends on 1 May. It renews for $75 unless you cancel it in your account.',
      ],
    ],
  },
  {
    rules: [
      'wallet_phishing',
      'fortune_offer',
      'advance_fee',
      'loan_offer',
      'easy_money',
      'debt_threat',
      'fine_threat',
    ],
    fraud: [
      [
        'Wallet update',
        'Release notes 4.2: restore your wallet within 24 hours, enter your 12 word seed phrase to validate it, or it will be suspended.',
      ],
      [
        'Estate',
        'I am a solicitor. Your late relative left a fortune of 12 million dollars. You are the beneficiary, as next of kin. Keep it confidential and contact me at my private email with your full name.',
      ],
      [
        'Loan',
        'We offer loans, bad credit ok, no collateral, 3% interest, contact us by WhatsApp with your full name.',
      ],
      [
        'Letzte Mahnung',
        'Letzte Mahnung: Zahlen Sie heute 340 Euro per Echtzeitüberweisung, sonst kommt der Gerichtsvollzieher. Haben Sie bereits bezahlt, ist das gegenstandslos.',
      ],
    ],
    honest: [
      [
        'Wallet 4.2 released',
        'Version 4.2 of the wallet is here. New: connect your Ledger or Trezor over Bluetooth, restore a wallet from a 12 word seed phrase faster, and verify addresses before you send Bitcoin. Update today from the app store. Release notes: https://wallet.example/releases/4.2',
      ],
      [
        'Estate of the late Mrs Ward',
        'Dear Mr Ward, we are the solicitors for the estate of your late aunt. As beneficiary you inherit a share. Please contact us at the office to make an appointment, and bring a copy of your passport. The funds are paid once probate is granted.',
      ],
      [
        'Your statement',
        'Your monthly statement is ready. Bad credit can affect what loans you are offered; check your credit report once a year. https://bank.example/statements',
      ],
      [
        'Your AirDrop share',
        'Your AirDrop share is ready: Lena shared 3 files with you from her phone. Claim them in Files within 30 days.',
      ],
      [
        'Letzte Mahnung',
        'Sehr geehrte Frau Roth, Ihre Rechnung 4410 über 129,00 EUR ist seit dem 2. April überfällig. Dies ist unsere letzte Mahnung. Bitte zahlen Sie innerhalb von 7 Tagen. Haben Sie schon bezahlt, betrachten Sie dieses Schreiben als gegenstandslos.',
      ],
      [
        'Dernière relance',
        'Madame, la facture 3312 de 210,00 € reste impayée malgré nos relances. Merci de la régler sous 8 jours, à défaut nous transmettrons le dossier à un huissier. Si vous avez déjà payé, ne tenez pas compte de ce courrier.',
      ],
    ],
  },
  {
    rules: ['bought_off_threat'],
    fraud: [
      [
        'Final warning before legal action',
        'You owe $1,890.00. If you do not pay today a warrant for your arrest will be issued. Call us immediately and pay with gift cards.',
      ],
      [
        'Debt notice',
        `We bought your debt. Pay $600 in Bitcoin to the wallet below within 48 hours or we send your file to the court and your employer. ${WALLET}`,
      ],
      [
        'Haftbefehl',
        'Gegen Sie liegt ein Haftbefehl vor. Zahlen Sie heute 800 Euro mit Paysafecard oder Bitcoin, um die Vollstreckung abzuwenden.',
      ],
      [
        'Dernier avis',
        'Un mandat d’arrêt sera délivré contre vous. Réglez 500 euros en cartes cadeaux sous 24 h pour clore le dossier.',
      ],
    ],
    honest: [
      [
        'How we contact you',
        'We will never ask you to pay a tax debt with gift cards or bitcoin, and we will never threaten you with arrest on the phone.',
      ],
      [
        'Your gift card order',
        'Thank you for your order of two gift cards over $50. They will be sent to your employer, Harlow Ltd, as you asked. You paid by card.',
      ],
      [
        'This week in crypto',
        'A court in Lisbon ruled on Tuesday that wages may be paid in bitcoin when both sides agree. Police said that two men were arrested for theft.',
      ],
    ],
  },
  {
    rules: ['unclaimed_payout'],
    fraud: [
      [
        'Insurance payout',
        'Dear policyholder, you have an unclaimed payout of $12,000. Reply with your bank details and a copy of your ID to receive the funds.',
      ],
      [
        'Guthaben',
        'Auf Ihren Namen besteht ein nicht beanspruchtes Guthaben von 9.000 Euro. Senden Sie uns eine Kopie Ihres Ausweises und Ihre Bankdaten.',
      ],
    ],
    honest: [
      [
        'You have an unclaimed benefit',
        'Hi Lou, you have not used this year’s fitness benefit of $200. Send us the receipt of your gym through the HR portal by December.',
      ],
      [
        'Your insurance claim',
        'To continue with your claim we need a copy of the police report. Please send us the estimate too. We have your bank details and pay within five days.',
      ],
    ],
  },
]
