// Honest mails about money that is owed, paid or refunded. Subject and text. They were written before the model was trained with
// mails of this kind, and none of them is among those.

export const PAYMENTS: readonly (readonly [subject: string, text: string])[] = [
  [
    'Invoice 2043 is overdue',
    'Hello Maria,\n\nyour invoice 2043 of 1 November over 129.00 EUR is overdue since 15 November. Please pay it within 7 days.\n\nIf you have paid already, ignore this message.\n\nKind regards\nNordlicht GmbH',
  ],
  [
    'Final notice: invoice 2043',
    'Dear Mr Jones,\n\nDespite two reminders, your payment of £430.00 for invoice 2043 has not reached us. Please pay the amount immediately. If we do not receive it by 5 December, we will hand the matter to a collection agency, and additional fees will be charged.\n\nBank: Barclays, sort code 20-00-00, account 12345678\n\nYours sincerely\nAccounts department\nHarper Ltd',
  ],
  [
    'Payment failed',
    'Hi Tom,\n\nWe could not charge your card ending in 4242 for your Pro subscription ($29.00). Please update your payment method to keep your account active: https://app.example.com/billing\n\nIf we cannot collect the payment within 7 days, your account will be suspended.\n\nThanks,\nThe Example team',
  ],
  [
    'Your payment is past due - action required',
    'Hi,\n\nYour account is past due. Please make a payment of $54.20 immediately to avoid an interruption of service. Click here to pay now: https://pay.example.com/i/93\n\nThank you',
  ],
  [
    'Zahlungserinnerung Rechnung 88123',
    'Sehr geehrte Frau Weber,\n\nsicherlich haben Sie übersehen, dass unsere Rechnung 88123 vom 02.11.2026 über 89,90 EUR noch offen ist. Bitte überweisen Sie den Betrag bis zum 30.11.2026 auf das auf der Rechnung genannte Konto.\n\nSollten Sie bereits gezahlt haben, betrachten Sie dieses Schreiben als gegenstandslos.\n\nMit freundlichen Grüßen\nStadtwerke Muster',
  ],
  [
    'Letzte Mahnung',
    'Sehr geehrter Herr Klein,\n\ntrotz zweimaliger Mahnung haben Sie unsere Rechnung 88123 nicht bezahlt. Wir fordern Sie letztmalig auf, den Betrag von 112,40 EUR zzgl. Mahngebühren von 5,00 EUR bis zum 30.11.2026 zu zahlen. Andernfalls übergeben wir die Forderung an ein Inkassounternehmen.\n\nMit freundlichen Grüßen\nBuchhaltung',
  ],
  [
    'Relance : facture impayée',
    "Bonjour,\n\nSauf erreur de notre part, la facture 5521 d'un montant de 340,00 € reste impayée. Nous vous remercions de procéder au règlement sous 8 jours.\n\nCordialement,\nService comptabilité",
  ],
  [
    'Mise en demeure',
    'Madame, Monsieur,\n\nMalgré nos relances, la facture 5521 de 340,00 € demeure impayée. Nous vous mettons en demeure de régler cette somme sous 8 jours. À défaut, nous engagerons une procédure de recouvrement judiciaire.\n\nVeuillez agréer nos salutations distinguées.',
  ],
  [
    'Recordatorio de pago',
    'Estimado cliente:\n\nLe recordamos que la factura 771 por 215,00 € venció el 10 de noviembre. Le rogamos que realice el pago lo antes posible.\n\nUn saludo',
  ],
  [
    'Last reminder',
    'We have not received your payment. Pay your balance of $312.00 now to avoid legal action and additional charges. Reply to this email or call us at +1 555 0100 if you need a payment plan.',
  ],
  [
    'Your subscription will be cancelled',
    'Hi Ana,\n\nyour payment of 12.00 EUR failed three times. Your subscription ends tomorrow unless you update your card: https://example.com/account/card\n\nWe are sorry to see you go.',
  ],
  [
    'Reminder: payment due',
    'Dear customer, please note that your payment of $99 is due. Please send the payment to our bank account as soon as possible. Thank you for your business.',
  ],
  [
    'Overdue rent',
    'Dear tenant,\nyour rent for November (950 EUR) has not been received. Please transfer the money immediately. If the rent is not paid within 14 days we will be forced to terminate the lease.\nProperty Management',
  ],
  [
    'Membership fee outstanding',
    'Dear member, your annual membership fee of 60 EUR is still outstanding. Please pay by bank transfer within two weeks, or reply to this email if you believe this is an error.',
  ],
  ['Payment reminder', 'Hi,\n\nplease pay invoice 77 today.\n\nThanks'],
  [
    'Account suspended for non-payment',
    'Hello,\n\nYour hosting account has been suspended because invoice 4410 is unpaid. Please log in to pay the invoice: https://my.host.example/invoices/4410. Your data will be deleted after 30 days.\n\nHost Ltd',
  ],
  [
    'Debt collection notice',
    'Dear Mr Brown,\n\nour client Harper Ltd has instructed us to collect the outstanding amount of £430.00 plus interest and costs of £45.00. Please pay £475.00 to the account below within 10 days, otherwise we will start court proceedings against you without further notice.\n\nIBAN GB33BUKB20201555555555\nReference 2043/B\n\nCredit Services Ltd',
  ],
  [
    'New login to your account',
    'We noticed a new login to your account from Berlin, Chrome on Windows. If this was you, there is nothing to do. If not, change your password immediately: https://app.example.com/security',
  ],
  ['Your refund', 'Hello, your refund of $25.00 has been sent to your card. It takes 5 days to arrive.'],
  [
    'Donate today',
    'Dear friend, your gift of $30 buys a blanket for a refugee family this winter. Please donate now: https://charity.example.org/give. Every donation is doubled until Friday. Thank you so much.',
  ],
  [
    'You won the raffle',
    'Congratulations! You won a voucher of 20 EUR in our staff raffle. Collect it at the reception until Friday.',
  ],
  [
    'Loan approved',
    'Dear Mr Smith, your mortgage application 99812 has been approved. Please call your adviser to arrange an appointment to sign the contract.',
  ],
  [
    'Insurance claim payment',
    'Dear Ms Li, we have approved your claim 5512. We will pay $1,240.00 to your bank account within 3 days. Please reply if your bank details have changed.',
  ],
  [
    'Tax return',
    'Your tax return for 2025 has been filed. You get a refund of $312 from the IRS. No action is needed.',
  ],
  [
    'Win back: we miss you',
    'We miss you! Come back and get 20% off your next order with code BACK20. Offer ends Sunday. https://shop.example.com',
  ],
  [
    'Payroll: missing bank details',
    'Hi Sam, we need your bank details before Friday to pay your salary. Please enter them in the HR portal: https://hr.example.com. Thanks, HR',
  ],
]
