// Advertising language that filters weigh and readers distrust, in four languages. Honest shops advertise too: one word is
// worth next to nothing, many of them count.

import type { Lexicon } from './lexicon.ts'

const PLAIN = 'Say what it is and what it costs'

export const SELLING: Lexicon = {
  sets: {
    pills: `viagra cialis levitra xanax valium tramadol phentermine ambien vicodin potenzmittel online_pharmacy
      internet_apotheke no_prescription ohne_rezept rezeptfrei sans_ordonnance sin_receta penis_enlargement
      penisvergrosserung weight_loss_pills diet_pills hgh erectile erektion keto_gummies cbd_gummies`,
    replicas: `replica_watches replicas rolex_replica fake_rolex luxury_replica replika_uhren montres_replique
      replicas_de_relojes cheap_software oem_software`,
    gambling: `online_casino casino_bonus free_spins freispiele tours_gratuits tiradas_gratis jackpots no_deposit
      welcome_bonus casino_en_ligne casino_online onlinecasino sports_betting slot_machines`,
    credit: `bad_credit_ok bad_credit_welcome bad_credit_accepted bad_credit_no even_with_bad_credit have_bad_credit
      good_or_bad_credit no_credit_check credit_repair payday_loan debt_relief consolidate_your eliminate_debt
      kredit_ohne_schufa ohne_schufa sofortkredit credit_sans_justificatif pret_sans prestamo_inmediato sin_aval
      credito_rapido mortgage_rates lowest_mortgage refinance_now guaranteed_approval instant_approval pre_approved`,
    rich: `make_money_fast easy_money fast_cash extra_income financial_freedom get_rich be_your_own millionaire
      schnelles_geld schnell_reich leicht_verdient argent_facile gagner_de_l_argent devenez_riche dinero_facil
      hagase_rico ganar_dinero cash_bonus money_back_guarantee_no free_money 100_free_money multi_level
      secret_system money_making earn_thousands`,
    miracle: `miracle wundermittel abnehmen_ohne lose_weight perdre_du_poids_sans bajar_de_peso_sin wunderpille
      doctors_hate anti_aging burn_fat fat_burning remede_miracle cura_milagrosa melt_away 30_pounds`,
    free: `100_free absolutely_free totally_free completely_free free_gift free_trial_now risk_free no_obligation
      no_cost 100_kostenlos vollig_kostenlos gratis_geschenk kostenlos_und_unverbindlich 100_gratuit cadeau_gratuit
      entierement_gratuit sans_engagement_et 100_gratis totalmente_gratis regalo_gratis sin_compromiso
      free_preview free_membership`,
    hurry: `act_now act_fast order_now buy_now_before call_now apply_now don_t_miss_out once_in_a limited_time_only
      while_supplies_last offer_expires special_promotion jetzt_zugreifen nur_solange jetzt_zuschlagen
      agissez_maintenant offre_limitee ne_manquez_pas actue_ahora oferta_limitada no_pierda_esta urgent_offer
      don_t_delay before_it_s_too hurry_up beeilen_sie_sich depechez_vous dese_prisa`,
    cheap: `lowest_price lowest_prices best_price unbeatable_prices incredible_deal amazing_deal unglaublicher_preis
      prix_imbattables precios_imbatibles wholesale_prices huge_savings as_seen_on giveaway_ends cheapest`,
    lists: `millions_of_email email_addresses_for bulk_email mass_mailing targeted_leads buy_followers search_engine_ranking
      first_page_of_google seo_services email_lists e_mail_adressen_kaufen base_de_emails base_de_datos_de
      guest_post web_design_services opt_in_emails bulk_e_mail page_rank`,
    notspam: `this_is_not_spam not_a_spam this_is_no_spam dies_ist_kein_spam ceci_n_est_pas esto_no_es_spam
      senate_bill in_compliance_with one_time_mailing one_time_email remove_in_the to_be_removed_from`,
  },
  concepts: {
    spam_goods: {
      ...{ points: 22, more: 14, max: 50, fraud: 0 },
      description: 'Words of the goods that spam sells',
      suggestion: 'Leave the words out; where the goods are yours, link to them instead of praising them by mail',
    },
    easy_money: {
      ...{ points: 12, more: 8, max: 28, fraud: 1, suggestion: PLAIN },
      description: 'Easy money or credit is promised',
    },
    miracle: {
      ...{ points: 10, more: 0, max: 10, fraud: 0, suggestion: PLAIN },
      description: 'A miracle is promised',
    },
    pushy_selling: {
      ...{ points: 3, more: 4, max: 12, fraud: 0, suggestion: PLAIN },
      description: 'Words of pushy advertising',
    },
    bulk_trade: {
      ...{ points: 10, more: 6, max: 16, fraud: 0, suggestion: 'Leave it out' },
      description: 'Words of those who mail without being asked',
    },
  },
  patterns: [
    { concept: 'spam_goods', sets: ['pills'], gap: 0 },
    { concept: 'spam_goods', sets: ['replicas'], gap: 0 },
    { concept: 'spam_goods', sets: ['gambling'], gap: 0 },
    { concept: 'easy_money', sets: ['credit'], gap: 0 },
    { concept: 'easy_money', sets: ['rich'], gap: 0 },
    { concept: 'miracle', sets: ['miracle'], gap: 0 },
    { concept: 'pushy_selling', sets: ['free'], gap: 0 },
    { concept: 'pushy_selling', sets: ['hurry'], gap: 0 },
    { concept: 'pushy_selling', sets: ['cheap'], gap: 0 },
    { concept: 'bulk_trade', sets: ['lists'], gap: 0 },
    { concept: 'bulk_trade', sets: ['notspam'], gap: 0 },
  ],
}
