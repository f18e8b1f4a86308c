// Plans: an account's monthly quotas, rates and features. The table below is built in; POSTHORN_PLANS_FILE replaces any
// part of it (docs/plans.md), and an operator can override each limit for one account. A file with a fault prevents the
// start, with a message that names it: no limit must be lost to a typing error.

import { readFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'

export const PLANS = ['starter', 'professional', 'business', 'enterprise', 'custom'] as const
export type Plan = (typeof PLANS)[number]

/** Resources counted per month. */
export const RESOURCES = ['emails', 'validations', 'content_checks', 'risk_previews'] as const
export type Resource = (typeof RESOURCES)[number]

export const FEATURES = ['risk', 'content_events'] as const
export type Feature = (typeof FEATURES)[number]

export const RATE_CLASSES = ['default', 'send', 'batch', 'validation', 'verify', 'health_refresh'] as const
export type RateClass = (typeof RATE_CLASSES)[number]

/** A token bucket: it holds `burst` tokens and gains `perSecond`. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Null = unlimited. `webhooks` is the maximum number of endpoints. */
export type Limits = Readonly<Record<Resource | 'webhooks', number | null>>
export type Rates = Readonly<Record<RateClass, Rate>>
export type Features = Readonly<Record<Feature, boolean>>

export interface PlanTerms {
  readonly limits: Limits
  readonly features: Features
  readonly rates: Rates
}

export type Plans = Readonly<Record<Plan, PlanTerms>>

/** What an operator set for one account. */
export interface Overrides {
  readonly limits: Partial<Limits> & { readonly rates?: Partial<Rates> }
  readonly features: Partial<Features>
}

const RATES: Rates = {
  default: { perSecond: 10, burst: 20 },
  send: { perSecond: 100, burst: 200 },
  batch: { perSecond: 10, burst: 20 },
  validation: { perSecond: 10, burst: 200 },
  verify: { perSecond: 10 / 60, burst: 10 },
  health_refresh: { perSecond: 1 / 60, burst: 1 },
}

function terms(
  [emails, validations, contentChecks, riskPreviews, webhooks]: readonly (number | null)[],
  risk: boolean,
  contentEvents: boolean,
): PlanTerms {
  return {
    limits: {
      emails: emails ?? null,
      validations: validations ?? null,
      content_checks: contentChecks ?? null,
      risk_previews: riskPreviews ?? null,
      webhooks: webhooks ?? null,
    },
    features: { risk, content_events: contentEvents },
    rates: RATES,
  }
}

export const BUILT_IN: Plans = {
  starter: terms([10_000, 100, 1_000, 0, 1], false, false),
  professional: terms([100_000, 5_000, 1_000, 10_000, 3], true, false),
  business: terms([1_000_000, 50_000, 1_000, 100_000, 10], true, false),
  enterprise: terms([null, null, 1_000, null, 100], true, true),
  custom: terms([null, null, 1_000, null, 100], true, true),
}

const Limit = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()])
const LimitsFile = Type.Object(
  {
    emails: Type.Optional(Limit),
    validations: Type.Optional(Limit),
    content_checks: Type.Optional(Limit),
    risk_previews: Type.Optional(Limit),
    webhooks: Type.Optional(Limit),
  },
  { additionalProperties: false },
)
const FeaturesFile = Type.Object(
  { risk: Type.Optional(Type.Boolean()), content_events: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
const RateFile = Type.Object(
  {
    per_second: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
    burst: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
  },
  { additionalProperties: false },
)
const RatesFile = Type.Object(
  {
    default: Type.Optional(RateFile),
    send: Type.Optional(RateFile),
    batch: Type.Optional(RateFile),
    validation: Type.Optional(RateFile),
    verify: Type.Optional(RateFile),
    health_refresh: Type.Optional(RateFile),
  },
  { additionalProperties: false },
)
const PlanFile = Type.Object(
  { limits: Type.Optional(LimitsFile), features: Type.Optional(FeaturesFile), rates: Type.Optional(RatesFile) },
  { additionalProperties: false },
)
const PlansFile = Type.Object(
  {
    rates: Type.Optional(RatesFile),
    plans: Type.Optional(
      Type.Object(
        {
          starter: Type.Optional(PlanFile),
          professional: Type.Optional(PlanFile),
          business: Type.Optional(PlanFile),
          enterprise: Type.Optional(PlanFile),
          custom: Type.Optional(PlanFile),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

/**
 * @param file the path in POSTHORN_PLANS_FILE; null for the built-in plans
 * @throws Error that names the file and its first fault
 */
export function readPlans(file: string | null): Plans {
  if (file === null) return BUILT_IN
  try {
    return plansFrom(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Error(`POSTHORN_PLANS_FILE ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** @throws Error naming the first fault, when the value is not what docs/plans.md describes */
export function plansFrom(value: unknown): Plans {
  if (!Value.Check(PlansFile, value)) {
    const [fault] = Value.Errors(PlansFile, value)
    const where = fault?.instancePath === '' ? 'the file' : fault?.instancePath
    throw new Error(`${where}: ${fault?.keyword === 'boolean' ? 'unknown name' : fault?.message}`)
  }
  const rates = { ...RATES, ...ratesFrom(value.rates) }
  const planOf = (plan: Plan): PlanTerms => {
    const given = value.plans?.[plan]
    return {
      limits: { ...BUILT_IN[plan].limits, ...given?.limits } as Limits,
      features: { ...BUILT_IN[plan].features, ...given?.features } as Features,
      rates: { ...rates, ...ratesFrom(given?.rates) },
    }
  }
  return Object.fromEntries(PLANS.map((plan) => [plan, planOf(plan)])) as unknown as Plans
}

function ratesFrom(given: Static<typeof RatesFile> | undefined): Partial<Rates> {
  const entries = Object.entries(given ?? {}) as [RateClass, Static<typeof RateFile>][]
  return Object.fromEntries(entries.map(([name, { per_second: perSecond, burst }]) => [name, { perSecond, burst }]))
}

/** The plan's terms with the account's overrides applied. */
export function termsOf(plans: Plans, plan: Plan, { limits, features }: Overrides): PlanTerms {
  const standard = plans[plan]
  const { rates, ...counted } = limits
  return {
    limits: { ...standard.limits, ...counted } as Limits,
    features: { ...standard.features, ...features } as Features,
    rates: { ...standard.rates, ...rates } as Rates,
  }
}

/** The plans that include a feature, cheapest first, as `plan_required` lists them. */
export function plansWith(plans: Plans, feature: Feature): readonly Plan[] {
  return PLANS.filter((plan) => plans[plan].features[feature])
}

export function isPlan(text: string): text is Plan {
  return (PLANS as readonly string[]).includes(text)
}
