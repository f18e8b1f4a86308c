// Language that filters and recipients distrust, in English, German, French and Spanish. Whole phrases, lower case;
// a phrase is looked for as it stands, so the search is linear.

export interface Vocabulary {
  readonly rule: string
  readonly pointsEach: number
  readonly maxPoints: number
  readonly description: string
  readonly suggestion: string
  readonly pattern: RegExp
}

function anyOf(phrases: readonly string[]): RegExp {
  const literal = phrases.map((phrase) => phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${literal.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
}

export const VOCABULARIES: readonly Vocabulary[] = [
  {
    rule: 'scam_language',
    pointsEach: 20,
    maxPoints: 60,
    description: 'Words of advance-fee, lottery and extortion mail',
    suggestion: 'Leave the phrase out: no recipient believes it and every filter knows it',
    pattern: anyOf([
      ...['next of kin', 'inheritance fund', 'you have won', 'lottery winner', 'million dollars', 'million usd'],
      ...['wire transfer of', 'beneficiary', 'risk free profit', 'double your bitcoin', 'double your money'],
      ...['guaranteed profit', 'guaranteed returns', 'i recorded you', 'your webcam', 'bitcoin wallet', 'gift cards'],
      ...[
        'unclaimed funds',
        'atm card',
        'no prescription',
        'cheap viagra',
        'make money fast',
        'work from home and earn',
      ],
      ...[
        'sie haben gewonnen',
        'millionen euro',
        'schnell reich',
        'ohne rezept',
        'garantierter gewinn',
        'erbschaft von',
      ],
      ...[
        'vous avez gagné',
        'millions d’euros',
        "millions d'euros",
        'gain garanti',
        'sans ordonnance',
        'argent facile',
      ],
      ...[
        'ha ganado',
        'has ganado',
        'millones de dólares',
        'millones de euros',
        'dinero fácil',
        'ganancia garantizada',
      ],
    ]),
  },
  {
    rule: 'credential_language',
    pointsEach: 22,
    maxPoints: 66,
    description: 'Words with which accounts are stolen',
    suggestion: 'Name the matter and the recipient, and do not ask for credentials or threaten with closure',
    pattern: anyOf([
      ...['verify your account', 'confirm your account', 'confirm your identity', 'verify your identity'],
      ...['account will be suspended', 'account has been suspended', 'account has been limited', 'account is locked'],
      ...['account will be closed', 'account will be deactivated', 'mailbox is full', 'mailbox is almost full'],
      ...['unusual sign-in activity', 'update your payment', 'update your billing', 'validate your email'],
      ...[
        'keep your current password',
        'keep current password',
        'your password expires',
        'seed phrase',
        'recovery phrase',
      ],
      ...['reactivate your account', 'customs fee', 'redelivery fee', 'release your package', 'restore your access'],
      ...['bestätigen sie ihr konto', 'konto wurde gesperrt', 'konto wird gesperrt', 'konto wurde eingeschränkt'],
      ...['bestätigen sie ihre identität', 'zollgebühr', 'ihre daten bestätigen', 'daten aktualisieren'],
      ...['vérifiez votre compte', 'confirmez votre compte', 'compte a été suspendu', 'compte sera suspendu'],
      ...['confirmer votre identité', 'frais de douane', 'mettre à jour vos informations'],
      ...['verifique su cuenta', 'confirme su cuenta', 'cuenta ha sido suspendida', 'cuenta será suspendida'],
      ...['confirme su identidad', 'actualice sus datos', 'gastos de aduana'],
    ]),
  },
  {
    rule: 'urgency_language',
    pointsEach: 8,
    maxPoints: 32,
    description: 'Words that press the reader',
    suggestion: 'Say by when and why instead of pressing',
    pattern: anyOf([
      ...['act now', 'act fast', 'act immediately', 'urgent action', 'immediate action', 'immediate attention'],
      ...['within 24 hours', 'within 48 hours', 'final notice', 'final warning', 'last warning', 'click here now'],
      ...['click here', 'do not delay', "don't delete", 'before it is too late', 'once in a lifetime', 'order now'],
      ...['permanently deleted', 'permanently closed', 'failure to comply', 'avoid suspension'],
      ...['jetzt handeln', 'sofort handeln', 'innerhalb von 24 stunden', 'letzte mahnung', 'hier klicken', 'dringend'],
      ...['agissez maintenant', 'sous 24 heures', 'dernier avertissement', 'cliquez ici', 'immédiatement'],
      ...['actúe ahora', 'en 24 horas', 'último aviso', 'haga clic aquí', 'inmediatamente'],
    ]),
  },
  {
    rule: 'money_language',
    pointsEach: 6,
    maxPoints: 24,
    description: 'Words of advertising that filters weigh',
    suggestion: 'Say what it is and what it costs',
    pattern: anyOf([
      ...['100% free', 'free money', 'extra income', 'cash bonus', 'no obligation', 'winner', 'congratulations you'],
      ...[
        'lowest price',
        'risk free',
        'risk-free',
        'no credit check',
        'weight loss',
        'miracle',
        'earn extra',
        'free gift',
      ],
      ...['100% kostenlos', 'gratis geschenk', 'ohne risiko', '100% gratuit', 'cadeau gratuit', 'sans risque'],
      ...['100% gratis', 'regalo gratis', 'sin riesgo'],
    ]),
  },
]
