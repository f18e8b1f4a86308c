// Fraud stories that need words of their own: the overpaid cheque, the recovery of lost money, the wrong number that trades,
// the domain listing, the arrest that gift cards avert, the payout that nobody claimed. See lexicon-fraud.ts for how patterns are weighted.

import { FAR, type Lexicon } from './lexicon.ts'
import { SUGGEST } from './lexicon-fraud.ts'

export const PLOYS: Lexicon = {
  sets: {
    cheque: `cheque cheques cashier_s_check certified_check bank_draft a_check the_check scheck verrechnungsscheck cheque_de_banque
      cheque_bancario`,
    surplus: `the_rest the_balance remaining_balance excess the_difference the_remainder the_surplus more_than_the deduct_your den_rest
      die_differenz le_reste la_difference el_resto la_diferencia`,
    haulier: `mover movers shipping_agent pickup_agent shipper courier_agent mover_s spediteur transporteur transportista`,
    recoverer: `ethical_hacker ethical_hackers recovery_expert recovery_experts certified_recovery recovery_agent recovery_agents
      recovery_specialist recovery_specialists recover_lost recovered_lost crypto_recovery bitcoin_recovery fund_recovery
      funds_recovery recover_your_lost`,
    lostcoins: `lost_crypto lost_cryptocurrency lost_bitcoin stolen_bitcoin stolen_crypto stolen_cryptocurrency lost_funds you_lost
      crypto_scam fake_brokers scam_victims your_funds_back your_money_back`,
    reachus: `whatsapp telegram contact_us contact_me reply email_us write_to_us upfront`,
    misdial: `wrong_number wrong_person by_mistake your_contact_from got_your_contact got_your_number must_be_fate falsche_nummer
      verwahlt mauvais_numero numero_equivocado`,
    invitation: `add_me whatsapp telegram wechat line_id signal`,
    mytrade: `trade_crypto trade_gold trading_gold crypto_trading forex my_uncle teach_you my_investments trade_bitcoin`,
    domains: `domain domains`,
    listing: `seo search_engine`,
    lapsing: `final_notice failure_to last_notice expiration_notice cancellation`,
    jail: `your_arrest be_arrested arrest_you arrest_warrant warrant_for_your police_will officers_will be_deported
      court_and_your and_your_employer haftbefehl ihre_verhaftung und_ihren_arbeitgeber und_ihrem_arbeitgeber mandat_d_arret
      votre_arrestation et_votre_employeur orden_de_arresto orden_de_detencion su_detencion y_su_empleador`,
    untraceable: `gift_card gift_cards giftcards geschenkkarten gutscheinkarten cartes_cadeaux tarjetas_regalo tarjetas_de_regalo
      paysafecard steam_cards apple_cards prepaid_cards bitcoin bitcoins btc usdt monero western_union moneygram`,
    unclaimed: `unclaimed dormant not_been_claimed never_claimed nicht_abgeholt nicht_abgeholtes nicht_beansprucht nicht_beanspruchte nicht_beanspruchtes non_reclame non_reclamee
      no_reclamado no_reclamada`,
    windfall: `payout funds fund compensation benefit benefits sum auszahlung guthaben versement indemnite pago fondos indemnizacion`,
    papers: `copy_of_your your_id your_passport your_bank_details bank_details kopie_ihres ihre_bankdaten copie_de_votre
      vos_coordonnees_bancaires copia_de_su sus_datos_bancarios`,
    answering: `reply_with answer_with respond_with send_us send_me antworten_sie_mit senden_sie_uns schicken_sie_uns repondez_avec
      envoyez_nous responda_con envienos`,
  },
  concepts: {
    overpayment: {
      ...{ points: 44, more: 0, max: 44, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'A cheque is too high, and what is over is to be sent on',
    },
    recovery_offer: {
      ...{ points: 44, more: 0, max: 44, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'A stranger offers to get back what fraud took',
    },
    chance_acquaintance: {
      ...{ points: 44, more: 0, max: 44, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'Who writes by mistake teaches how to trade',
    },
    false_renewal: {
      ...{ points: 42, more: 0, max: 42, fraud: 2 },
      description: 'A listing of a domain, which nobody ordered, is said to lapse',
      suggestion: 'Name the contract and its number',
    },
    bought_off_threat: {
      ...{ points: 44, more: 0, max: 44, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'An arrest or a disgrace is to be averted with money that nobody can trace',
    },
    unclaimed_payout: {
      ...{ points: 44, more: 0, max: 44, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'Money that nobody claimed is offered for papers or bank details',
    },
  },
  patterns: [
    { concept: 'overpayment', sets: ['cheque', 'surplus', 'haulier'], gap: 60, unless: 'warned' },
    { concept: 'recovery_offer', sets: ['recoverer', 'lostcoins', 'reachus'], gap: 60, unless: 'never' },
    { concept: 'chance_acquaintance', sets: ['misdial', 'invitation', 'mytrade'], gap: FAR, unless: 'warned' },
    { concept: 'false_renewal', sets: ['domains', 'listing', 'lapsing', '#money'], gap: 40 },
    { concept: 'bought_off_threat', sets: ['jail', 'untraceable', 'pay'], gap: 40, unless: 'warned' },
    { concept: 'unclaimed_payout', sets: ['unclaimed', 'windfall', 'answering', 'papers'], gap: 40, unless: 'warned' },
  ],
}
