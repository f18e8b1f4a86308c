// The list of emails behind the overview's figures. Knows nothing of the browser.

/** What a receiver is to get, or was: all but what is still to come, was stopped, or may not go. The figures call it sent. */
export const SENT = 'queued,deferred,delivered,bounced,failed,complained'
