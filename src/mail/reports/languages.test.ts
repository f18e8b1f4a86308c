// Reports of rarer mailers and in languages other than English, written from their documentation. As in formats.test.ts,
// each has the same result with every kind of line end; and no automatic reply is taken for a mailer's report.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Report, readReport } from './classify.ts'

const TO = 'bob@dest.example'
const ORIGINAL =
  'Received: from mail.posthorn.test by mx.dest.example; Sat, 21 Nov 2026 07:00:00 +0000\nFrom: a@shop.example\nTo: bob@dest.example\nSubject: 550 5.1.1 user unknown\nMessage-ID: <1@shop.example>\n'
const UNKNOWN = `bounce hard invalid_recipient ${TO}`
const FULL = `bounce soft mailbox_full ${TO}`

function told(report: Report): string {
  if (!('recipients' in report)) return report.kind
  const [one] = report.recipients
  return `${report.kind} ${one?.verdict.type} ${one?.verdict.category} ${one?.address ?? ''}`.trim()
}

interface Written {
  readonly from?: string
  readonly subject: string
  readonly body: string
  readonly more?: string
}

function mail({ from = 'MAILER-DAEMON@mx.relay.example', subject, body, more = '' }: Written): string {
  const utf8 = 'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n'
  return `From: ${from}\nTo: b+token@mail.posthorn.test\nSubject: ${subject}\n${more.includes('Content-Type') ? '' : utf8}${more}\n${body}\n`
}

const FORMATS: Readonly<Record<string, readonly [mail: Written, expected: string]>> = {
  MessageLabs: [
    {
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@messagelabs.example>',
      subject: 'Mail Delivery Failure',
      body: `This is the mail delivery agent at messagelabs.example.\nI was not able to deliver your message to the following addresses.\n\n<${TO}>:\n192.0.2.9 does not like recipient.\nRemote host said: 550 5.1.1 user unknown\n\n--- Below this line is a copy of the message.\n\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  'm-FILTER': [
    {
      from: 'Mail Delivery Subsystem <postmaster@mx.relay.example>',
      subject: 'failure notice',
      body: `-------server message\nYour message to the following recipients could not be delivered.\n\n<${TO}>\n\nRemote server message:\n550 5.1.1 <${TO}>... User Unknown\n-------original message\n\n${ORIGINAL}`,
      more: 'X-Mailer: m-FILTER\n',
    },
    UNKNOWN,
  ],
  'Active!hunter': [
    {
      subject: 'FAILURE NOTICE :',
      body: `  ----- The following addresses had permanent fatal errors -----\n\n>>> ${TO} <${TO}>\n\n  ----- Transcript of session follows -----\n550 sorry, no mailbox here by that name (#5.1.1 - chkuser)\n\n  ----- Original message follows -----\n\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  'Biglobe, full': [
    {
      from: 'postmaster@biglobe.example',
      subject: 'Returned mail: ',
      body: `   ----- The following addresses had delivery problems -----\n${TO}\n\n   ----- Non-delivered information -----\nThe number of messages in recipient's mailbox exceeded the local limit.\n\n   ----- Unsent message follows -----\n${ORIGINAL}`,
    },
    FULL,
  ],
  InterScan: [
    {
      from: 'InterScan Notification <postmaster@relay.example>',
      subject: 'Mail delivery failure notification',
      body: `Sent >>> RCPT TO:<${TO}>\nReceived <<< 550 5.1.1 <${TO}>: Recipient address rejected: User unknown\n\nUnable to deliver message to <${TO}>\n\n************************** Original message\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  'Smail, no host': [
    {
      subject: 'mail failed, returning to sender',
      body: `|------------------------- Message log follows: -------------------------|\n no valid recipients were found for this message\n|------------------------- Failed addresses follow: ---------------------|\n <bob@nowhere.example> ... unknown host\n|------------------------- Message text follows: ------------------------|\n${ORIGINAL}`,
    },
    'bounce hard bad_domain bob@nowhere.example',
  ],
  '1und1': [
    {
      from: 'Mail Delivery System <mailer-daemon@relay.example>',
      subject: 'Mail delivery failed: returning message to sender',
      body: `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to\none or more of its recipients.\nThe following address(es) failed:\n\n<${TO}>:\nSMTP error from remote server for RCPT TO command, host: mx.dest.example (192.0.2.9) reason: 550 5.1.1 <${TO}>: User\n unknown\n\n--- The header of the original message is following. ---\n\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  'Mail.ru': [
    {
      from: 'mailer-daemon@corp.mail.example',
      subject: 'Mail failure.',
      body: `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n${TO}\nuser not found\n\n------ This is a copy of the message, including all the headers. ------\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  MailEnable: [
    {
      from: '"Postmaster" <postmaster@relay.example>',
      subject: 'Message Delivery Failure',
      body: `MailEnable: Message could not be delivered to some recipients.\nThe following recipient(s) could not be reached:\n\n\tRecipient: [SMTP:${TO}]\n\tReason:    Remote SMTP Server Returned: 550 5.1.1 User unknown\n\n\nMessage headers follow:\n\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  hMailServer: [
    {
      from: 'mailer-daemon@relay.example',
      subject: 'Message undeliverable: Hi',
      body: `Your message did not reach some or all of the intended recipients.\n\n   Sent: Sat, 21 Nov 2026 07:00:00 +0000\n   Subject: Hi\n\nThe following recipient(s) could not be reached:\n\n${TO}\n   Error Type: SMTP\n   Remote server (192.0.2.9) issued an error.\n   hMailServer sent: RCPT TO:<${TO}>\n   Remote server replied: 550 5.1.1 unknown user\n\nhMailServer\n`,
    },
    UNKNOWN,
  ],
  Kerio: [
    {
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@mx.relay.example>',
      subject: 'Mail delivery failed',
      body: `Your message could not be delivered to the following address:\n\n  ${TO}\n\nThe reason of the failure:\n\n  552 5.2.2 User's disk quota is exceeded\n\n`,
    },
    FULL,
  ],
  XMail: [
    {
      from: 'PostMaster <postmaster@relay.example>',
      subject: 'Error sending message [1234.relay.example] from [relay.example]',
      body: `[<00>] XMail bounce: Rcpt=[${TO}];Error=[550 5.1.1 <${TO}>: User unknown]\n\n\n[<01>] Error sending message [1234.relay.example] from [relay.example].\n\nID:        <S1>\nMail From: <a@shop.example>\nRcpt To:   <${TO}>\nServer:    <mx.dest.example>\n\n[<02>] The reason of the delivery failure was:\n\n550 5.1.1 <${TO}>: User unknown\n\n[<05>] Here is listed the message log file:\n`,
    },
    UNKNOWN,
  ],
  'Messaging Server': [
    {
      from: 'Internet Mail Delivery <postmaster@relay.example>',
      subject: 'Delivery Notification: Delivery has failed',
      body: `This report relates to a message you sent with the following header fields:\n\n  Message-id: <1@shop.example>\n  Subject: Hi\n\nYour message cannot be delivered to the following recipients:\n\n  Recipient address: ${TO}\n  Reason: Remote SMTP server has rejected address\n  Diagnostic code: smtp;550 5.1.1 unknown or illegal alias: ${TO}\n  Remote system: dns;mx.dest.example (TCP|17.0.0.1|25|192.0.2.9|25)\n`,
    },
    UNKNOWN,
  ],
  Zoho: [
    {
      from: 'mailer-daemon@mail.zoho.example',
      subject: 'Undelivered Mail Returned to Sender',
      body: `This message was created automatically by mail delivery software.\nA message that you sent could not be delivered to one or more of its recipients. This is a permanent error.\n\n${TO} Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <${TO}>: Recipient address rejected: User unknown\n\nReceived:from mail.zoho.example by mx.zohomail.example\n\n${ORIGINAL}`,
    },
    UNKNOWN,
  ],
  IronPort: [
    {
      from: 'Mail Delivery System <MAILER-DAEMON@esa.relay.example>',
      subject: 'Delivery Status Notification (Failure)',
      body: `The following message to <${TO}> was undeliverable.\nThe reason for the problem:\n5.1.0 - Unknown address error 550-'5.1.1 <${TO}>: user unknown'\n`,
    },
    UNKNOWN,
  ],
  PowerMTA: [
    {
      from: 'Mail Delivery System <postmaster@relay.example>',
      subject: 'Delivery report',
      body: `Hello, this is the mail server on relay.example.\n\nI am sending you this message to inform you on the delivery status of a\nmessage you previously sent.  Immediately below you will find a list of\nthe affected recipients;  also attached is a Delivery Status Notification\n(DSN) report in standard format, as well as the headers of the original\nmessage.\n\n  <${TO}>  delivery failed; will not continue trying\n\n    (reason: 550 5.1.1 user unknown)\n`,
    },
    UNKNOWN,
  ],
  'Exchange Online in German': [
    {
      from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@relay.example>',
      subject: '=?utf-8?q?Unzustellbar=3A_Hallo?=',
      body: `<html><body><p>Ihre Nachricht an ${TO} konnte nicht zugestellt werden.</p><p><b>bob</b> wurde unter <b>dest.example</b> nicht gefunden.</p><p>Diagnoseinformationen f&uuml;r Administratoren:</p><p>Generierender Server: relay.example</p><p>${TO}<br>Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ${TO} not found by SMTP address lookup'</p><p>Urspr&uuml;ngliche Nachrichtenkopfzeilen:</p></body></html>`,
      more: 'Content-Type: text/html; charset=utf-8\n',
    },
    UNKNOWN,
  ],
  'Gmail in German': [
    {
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
      subject: 'Delivery Status Notification (Failure)',
      body: `** Adresse nicht gefunden **\n\nIhre Nachricht wurde nicht an ${TO} zugestellt, weil die Adresse nicht gefunden wurde oder keine E-Mails empfangen kann.\n\nDie Antwort lautete:\n\n550 5.1.1 The email account that you tried to reach does not exist. gsmtp\n`,
      more: `X-Failed-Recipients: ${TO}\n`,
    },
    UNKNOWN,
  ],
  'Gmail in Spanish, full': [
    {
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
      subject: 'Delivery Status Notification (Failure)',
      body: `** Bandeja de entrada del destinatario llena **\n\nTu mensaje no se ha entregado a ${TO}. Su bandeja de entrada está llena.\n\nLa respuesta es:\n\n552 5.2.2 The recipient's inbox is out of storage space. gsmtp\n`,
      more: `X-Failed-Recipients: ${TO}\n`,
    },
    FULL,
  ],
  'Exim in German': [
    {
      subject: '=?utf-8?q?Nachricht_konnte_nicht_zugestellt_werden=2C_zur=C3=BCck_an_Absender?=',
      body: `Diese Nachricht wurde automatisch von der Mail-Software erzeugt.\n\nEine Nachricht, die Sie verschickt haben, konnte einem oder mehreren Empfängern nicht zugestellt werden. Dies ist ein dauerhafter Fehler. Betroffen ist:\n\n  ${TO}\n    Der Empfänger ist hier unbekannt\n`,
    },
    UNKNOWN,
  ],
  'a German mailbox that is full': [
    {
      subject: 'Unzustellbar: Hallo',
      body: `Ihre Nachricht konnte nicht zugestellt werden.\n\nEmpfänger: ${TO}\nGrund: Das Postfach des Empfängers ist voll.\n`,
    },
    FULL,
  ],
  French: [
    {
      from: 'Postmaster <postmaster@relay.example>',
      subject: 'Message non remis',
      body: `Votre message n'a pas pu être remis au destinataire suivant :\n\n${TO}\n\nMotif : destinataire inconnu\n`,
    },
    UNKNOWN,
  ],
  'French, full': [
    {
      from: 'Postmaster <postmaster@relay.example>',
      subject: '=?utf-8?q?=C3=89chec_de_la_remise?=',
      body: `Votre message n'a pas pu être remis au destinataire suivant :\n\n${TO}\n\nLa boîte aux lettres du destinataire est pleine.\n`,
    },
    FULL,
  ],
  Spanish: [
    {
      from: 'Postmaster <postmaster@relay.example>',
      subject: 'No se puede entregar: Hola',
      body: `No se pudo entregar el mensaje a los siguientes destinatarios:\n\n${TO}\n\nEl usuario no existe.\n`,
    },
    UNKNOWN,
  ],
  'Spanish, full': [
    {
      subject: 'Correo devuelto',
      body: `No se pudo entregar el mensaje a los siguientes destinatarios:\n\n${TO}\n\nEl buzón del destinatario está lleno.\n`,
    },
    FULL,
  ],
  Portuguese: [
    {
      subject: '=?utf-8?q?N=C3=A3o_entregue=3A_Ol=C3=A1?=',
      body: `Não foi possível entregar sua mensagem aos seguintes destinatários:\n\n${TO}\n\nO endereço do destinatário não existe.\n`,
    },
    UNKNOWN,
  ],
  'Portuguese, full': [
    {
      subject: 'Falha na entrega da mensagem',
      body: `Sua mensagem não pôde ser entregue:\n\n${TO}\n\nA caixa de correio do destinatário está cheia.\n`,
    },
    FULL,
  ],
  Italian: [
    {
      subject: 'Mancata consegna',
      body: `Il messaggio non può essere consegnato al seguente destinatario:\n\n${TO}\n\nDestinatario sconosciuto.\n`,
    },
    UNKNOWN,
  ],
  Dutch: [
    {
      subject: 'Niet bezorgd: Hallo',
      body: `Uw bericht kon niet worden bezorgd bij de volgende ontvanger:\n\n${TO}\n\nGebruiker onbekend.\n`,
    },
    UNKNOWN,
  ],
  Russian: [
    {
      subject: '=?utf-8?b?0J/QuNGB0YzQvNC+INC90LUg0LTQvtGB0YLQsNCy0LvQtdC90L4=?=',
      body: `Ваше письмо не может быть доставлено одному или нескольким получателям.\n\n${TO}\n\nТакой пользователь не найден.\n`,
    },
    UNKNOWN,
  ],
  'QQ, in Chinese': [
    {
      from: 'PostMaster@qq.example',
      subject: '=?utf-8?b?5p2l6IeqcXEuZXhhbXBsZeeahOmAgOS/oQ==?=',
      body: `抱歉，您的邮件被退回来了……\n\n收件人：${TO}\n\n退信原因：收件人邮件地址不存在，邮件无法送达。\n`,
    },
    UNKNOWN,
  ],
  '163, in Chinese': [
    {
      from: 'Postmaster@163.example',
      subject: '=?utf-8?b?57O757uf6YCA5L+h?=',
      body: `很抱歉，您发送的邮件无法投递到对方邮箱。\n\n收件人：\n${TO}\n\n退信代码：\n550 User not found: ${TO}\n`,
    },
    UNKNOWN,
  ],
  'Chinese, full': [
    {
      from: 'postmaster@mail.example',
      subject: '=?utf-8?b?6YCA5L+h6YCa55+l?=',
      body: `您的邮件无法投递：\n\n${TO}\n\n原因：对方邮箱已满。\n`,
    },
    FULL,
  ],
  Japanese: [
    {
      from: 'postmaster@mx.example',
      subject: '=?utf-8?b?6YWN5L+h5LiN6IO944Oh44O844Or?=',
      body: `次の宛先にメールを配信できませんでした。\n\n${TO}\n\n宛先のユーザーは存在しません。\n`,
    },
    UNKNOWN,
  ],
  'Japanese, full': [
    {
      from: 'postmaster@mx.example',
      subject: '=?utf-8?b?44Oh44O844Or6YCB5L+h44Ko44Op44O8?=',
      body: `次の宛先にメールを配信できませんでした。\n\n${TO}\n\n相手のメールボックスの容量を超えています。\n`,
    },
    FULL,
  ],
  Korean: [
    {
      from: 'postmaster@naver.example',
      subject: '=?utf-8?b?66mU7J28IOyghOyGoSDsi6TtjKg=?=',
      body: `메일을 전송하지 못했습니다.\n\n${TO}\n\n받는 사람의 메일 주소가 존재하지 않습니다.\n`,
    },
    UNKNOWN,
  ],
  'a group that may not exist or may not be written to': [
    {
      from: 'Mail Delivery Subsystem <mailer-daemon@googlegroups.example>',
      subject: 'Delivery Status Notification (Failure)',
      body: `Hello a@shop.example,\n\nWe're writing to let you know that the group you tried to contact (bob) may not exist, or you may not have permission to post messages to the group.\n`,
      more: `X-Failed-Recipients: ${TO}\n`,
    },
    `bounce block policy ${TO}`,
  ],
  'a filter that keeps it': [
    {
      from: 'MAILER-DAEMON@filter.example',
      subject: 'Undeliverable: Hi',
      body: `Your message to <${TO}> was considered unsolicited bulk e-mail (UBE) and has been rejected.\n\n550 5.7.1 Message content rejected, UBE, id=12345\n`,
    },
    `bounce block content_rejected ${TO}`,
  ],
  'a warning in German': [
    {
      subject: 'Warnung: Nachricht wurde noch nicht zugestellt',
      body: `Ihre Nachricht an ${TO} konnte noch nicht zugestellt werden.\nDie Zustellung wird weiterhin versucht. Sie müssen nichts tun.\n`,
    },
    `delayed unknown unknown ${TO}`,
  ],
}

for (const [maker, [written, expected]] of Object.entries(FORMATS)) {
  test(`${maker}: ${expected}`, () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.equal(told(readReport(Buffer.from(mail(written).replaceAll('\n', end)))), expected)
  })
}

const MACHINES = [
  'Automatische Antwort: Hallo',
  'Abwesenheitsnotiz: Hallo',
  'Réponse automatique : Bonjour',
  'Respuesta automática: Hola',
  'Resposta automática: Olá',
  'Risposta automatica: Ciao',
  'Automatisch antwoord: Hallo',
  'Autosvar: Hej',
  'Automatisk svar: Hei',
  'Automaattinen vastaus: Hei',
  'Automatyczna odpowiedź: Cześć',
  'Automatická odpověď: Ahoj',
  'Automatikus válasz: Szia',
  'Otomatik yanıt: Merhaba',
  'Автоматический ответ: Привет',
  'Αυτόματη απάντηση: Γεια',
  '自动答复: 你好',
  '自動回覆: 你好',
  '自動応答: こんにちは',
  '자동 회신: 안녕',
  'Out of Office: Hello',
]

for (const subject of MACHINES) {
  test(`an automatic reply, although it mentions defunct addresses: ${subject}`, () => {
    const encoded = `=?utf-8?b?${Buffer.from(subject).toString('base64')}?=`
    const body = `Bob has left the company. This mailbox is no longer in use: user unknown, 550 5.1.1.\nWrite to <${TO}>.`
    const report = readReport(Buffer.from(mail({ from: `Bob <${TO}>`, subject: encoded, body })))
    assert.equal(report.kind, 'auto_reply')
  })
}
