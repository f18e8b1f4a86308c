// The groups of the API reference, in reading order. Each operation names one of them.

export interface ApiTag {
  readonly name: string
  readonly description: string
}

export const API_TAGS: readonly ApiTag[] = [
  { name: 'Sending', description: 'Send one email, or many in a batch.' },
  { name: 'Emails', description: 'Find emails and see what became of them. Reschedule, cancel or retry them.' },
  { name: 'Inbox', description: 'Read the mail of the sandbox, which is never delivered.' },
  { name: 'Templates', description: 'Store contents with placeholders, in versions.' },
  { name: 'Sending domains', description: 'Add the domains that you send from, and verify their DNS records.' },
  { name: 'Tracking domains', description: 'Use your own host names in tracked links.' },
  {
    name: 'Suppressions',
    description: 'Addresses that receive nothing because of a bounce, a complaint or your decision.',
  },
  { name: 'Unsubscribes', description: 'Addresses that asked for no more mail.' },
  { name: 'Bounces', description: 'List bounces and complaints, and report those that reached you elsewhere.' },
  { name: 'Contacts', description: 'Keep subscribers, with double opt-in.' },
  { name: 'Erasures', description: 'Erase a recipient who asks to be forgotten, with the emails sent to them.' },
  { name: 'Events', description: 'Read the event log, or follow it as a stream.' },
  { name: 'Webhooks', description: 'Receive signed events at your own endpoints.' },
  { name: 'Statistics', description: 'Sends, deliveries, bounces, complaints, opens and clicks by day.' },
  { name: 'Health', description: 'The health score of the account, and the readiness of a domain for a test mailing.' },
  { name: 'Risk', description: 'See the verdict on an email before you send it.' },
  {
    name: 'Content',
    description: 'Score content for signs of spam and fraud, and list what was found in accepted emails.',
  },
  { name: 'Address validation', description: 'Check addresses before you send to them.' },
  { name: 'Account', description: 'The profile, limits, usage and SMTP credentials of the account.' },
  { name: 'API keys', description: 'Create, limit, rotate and revoke keys.' },
  { name: 'Public tracking', description: 'What recipients reach by the links in their mail. No key.' },
  { name: 'Dashboard', description: 'Sign-in, second factor and users of the dashboard.' },
  { name: 'Operator', description: 'For the operators of the installation.' },
  { name: 'Operations', description: 'Health, metrics and documentation of the service itself. No key.' },
]
