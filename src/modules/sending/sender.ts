// The sender rule (contract section 5) and the precedence of the settings: the request, then the domain, then the account.

import type { ApiError } from '../../platform/errors.ts'
import type { Treatment } from '../outbox/index.ts'
import type { ContentFound, RiskPolicy } from '../risk/index.ts'
import type { Draft } from './draft.ts'
import { errors } from './errors.ts'
import { sandboxResultOf } from './request.ts'

/** What is known of the sender before the transaction. */
export interface SenderFacts {
  readonly domainId: string | null
  /** The domain may send: it is verified, or lost its verification less than 72 hours ago. */
  readonly verified: boolean
  /** The sender rule's refusal of live mail, raised after idempotency and before quota. Null: none, or all is sandbox mail. */
  readonly refusal: ApiError | null
  readonly policy: RiskPolicy
  /** Whether mail to this recipient is sandbox mail. */
  readonly isSandbox: (recipientKey: string) => boolean
  readonly treatment: Treatment
  /** The domain's setting, else the account's, adds a List-Unsubscribe header to every email. */
  readonly unsubscribesByDefault: boolean
}

/** A draft with what is known of its sender and its content. */
export interface Incoming {
  readonly draft: Draft
  readonly sender: SenderFacts
  readonly content: ContentFound
  /** The sending key; null for a dashboard session. */
  readonly keyId: string | null
}

/** The four settings; null: not set here. */
export interface TrackingSettings {
  readonly trackingEnabled: boolean | null
  readonly openTrackingEnabled: boolean | null
  readonly clickTrackingEnabled: boolean | null
  readonly unsubscribeHeaderEnabled: boolean | null
}

export interface SenderDomainFacts {
  readonly id: string
  readonly status: string
  readonly isActive: boolean
  readonly settings: TrackingSettings
}

/** The sender declares that the email goes to many recipients. */
export function goesToMany({ isBulk, stream }: Pick<Draft, 'isBulk' | 'stream'>): boolean {
  return isBulk || stream === 'broadcast'
}

/**
 * Whether every copy will have a List-Unsubscribe header, its own or ours (contract section 5), as far as a preview can tell:
 * a preview has no tracking overrides, and preview and send must judge by the same facts.
 */
export function canBeLeft(
  draft: Pick<Draft, 'isBulk' | 'stream' | 'hasListUnsubscribe' | 'wantsListUnsubscribe'>,
  { unsubscribesByDefault }: Pick<SenderFacts, 'unsubscribesByDefault'>,
): boolean {
  return draft.hasListUnsubscribe || draft.wantsListUnsubscribe || unsubscribesByDefault || goesToMany(draft)
}

export interface SenderQuestion {
  readonly draft: Draft
  /** The account's domain named in From; null: it has no such domain. */
  readonly domain: SenderDomainFacts | null
  /** The domains that the key is restricted to; null: all. */
  readonly boundTo: readonly string[] | null
  /** The key, or the instance, makes all mail sandbox mail. */
  readonly sandboxed: boolean
  readonly account: TrackingSettings
  readonly policy: RiskPolicy
}

export function senderFacts({ draft, domain, boundTo, sandboxed, account, policy }: SenderQuestion): SenderFacts {
  const allSandbox = sandboxed || draft.sandbox
  return {
    domainId: domain?.id ?? null,
    verified: domain?.isActive === true,
    refusal: allSandbox ? null : refusalOf(domain, boundTo, draft.fromDomain, policy),
    policy,
    isSandbox: (recipientKey) => allSandbox || sandboxResultOf(recipientKey) !== null,
    treatment: treatmentOf(draft, domain?.settings ?? null, account),
    unsubscribesByDefault: domain?.settings.unsubscribeHeaderEnabled ?? account.unsubscribeHeaderEnabled ?? false,
  }
}

/** Applies the sender rule to one domain name. @returns null when it may send live mail */
export function refusalOf(
  domain: SenderDomainFacts | null,
  boundTo: readonly string[] | null,
  name: string,
  { enforceSenderVerification }: RiskPolicy,
): ApiError | null {
  const foreign = domain === null || domain.status === 'suspended' || (boundTo !== null && !boundTo.includes(domain.id))
  if (foreign) return errors.sender_domain_not_allowed({ domain: name })
  if (!domain.isActive && enforceSenderVerification) {
    return errors.sender_not_verified({
      risk_score: 75,
      risk_level: 'high',
      action: 'block',
      block_reason: errors.sender_not_verified.message,
      overridable: false,
      recipients: [],
    })
  }
  return null
}

function treatmentOf({ overrides }: Draft, domain: TrackingSettings | null, account: TrackingSettings): Treatment {
  const effective = (override: boolean | null, setting: keyof TrackingSettings): boolean =>
    override ?? domain?.[setting] ?? account[setting] ?? false
  const tracking = effective(overrides.tracking, 'trackingEnabled')
  return {
    trackOpens: tracking && effective(overrides.opens, 'openTrackingEnabled'),
    trackClicks: tracking && effective(overrides.clicks, 'clickTrackingEnabled'),
    unsubscribeHeader: effective(overrides.unsubscribeHeader, 'unsubscribeHeaderEnabled'),
  }
}
