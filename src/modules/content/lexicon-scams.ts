// The language of scams in four languages: money from strangers, prizes, extortion, orders in the boss's name, changed bank
// details, fake support, fake investments, ways in for malware. See lexicon-fraud.ts for how patterns are weighted.

import { FAR, type Lexicon } from './lexicon.ts'
import { SUGGEST } from './lexicon-fraud.ts'
import { WARNINGS } from './lexicon-warnings.ts'

export const SCAMS: Lexicon = {
  sets: {
    warned: WARNINGS,
    inherit: `inheritance inherit next_of_kin late_client late_husband late_father late_general deceased bequeath bequest
      sole_heir widow terminally terminal_cancer cancer barrister diplomat diplomatic consignment_box unclaimed
      dormant_account abandoned_fund overinvoiced contract_sum foreign_partner erbschaft nachlass verstorbener verstorben
      verstorbene verstorbenen verstorbenes hinterlassen hinterlasst witwe krebs heritage defunt defunte feu_mari veuve
      leguer cancer_en_phase herencia fallecido fallecida difunto difunta viuda legado philanthropist beneficiary
      begunstigter begunstigte beneficiaire beneficiario beneficiaria spenden_mochte ihnen_zu_spenden vous_faire_don
      vous_donner donarle donation_to_you donate_to_you compensation_fund un_compensation scam_victims gold_bars
      gold_dust my_late abandoned_sum`,
    wealth: `million millions usd million_dollars million_euro millionen million_euros millones million_usd dollars
      millions_d_euros millones_de fortune vermogen funds fonds fondos huge_sum sum_of summe_von somme_de suma_de`,
    sum: `usd dollars euro euros pounds sum_of summe_von somme_de suma_de the_money das_geld l_argent el_dinero funds
      million_dollars million_euro millions_d_euros millones_de fonds fondos united_states_dollars`,
    caution: `${WARNINGS} no_guaranteed never_guaranteed kein_garantierter keine_garantierten keine_garantierte aucun_rendement
      pas_de_rendement ninguna_rentabilidad no_hay_rentabilidad past_performance no_guarantee not_guaranteed not_a_guarantee capital_at_risk your_capital value_of_investments
      may_lose can_lose verlust_des totalverlust keine_garantie nicht_garantiert wertentwicklung performances_passees
      risque_de_perte pas_garanti rentabilidades_pasadas puede_perder no_garantiza not_financial`,
    withdrawal: `withdraw withdrawal payout mining_balance cloud_mining auszahlung auszahlen guthaben retrait retirer retirar
      retiro saldo solde`,
    loan: `loan loans kredit kredite darlehen pret prets credit prestamo prestamos kreditangebot`,
    unsecured: `no_collateral without_collateral bad_credit_ok bad_credit_welcome bad_credit_accepted bad_credit_no
      even_with_bad_credit have_bad_credit good_or_bad_credit ohne_schufa ohne_sicherheiten ohne_sicherheit sans_garantie
      sans_justificatif sin_aval sin_garantias interest_rate_of prozent_zinsen zinsen taux_d_interet tipo_de_interes
      3_interest 2_interest zinssatz`,
    million: `million millions millionen millones`,
    deal: `confidential confidence mutual business_proposal trust_fund your_consent assist_me
      your_assistance foreign_account vertraulich uberweisung anteil vorschlag vertrauen prozent confidentiel
      confidentielle transfert virement pourcentage confiance confidencial transferencia porcentaje confianza propuesta
      your_full_name vollstandigen_namen nom_complet nombre_completo direct_telephone
      contactez_moi contactame contacteme god_bless gott_segne que_dieu dios_le`,
    you: `you your youve sie ihr ihre ihnen vous votre vos has su usted ha tu`,
    won: `won winner winners gewonnen gewinner gagne gagnant gagnante gagnez ganado ganador ganadora ganadores selected
      ausgewahlt ausgelost selectionne selectionnee tire_au_sort seleccionado seleccionada elegido randomly_chosen
      lucky_winner glucklicher congratulations herzlichen_gluckwunsch felicitations felicidades enhorabuena chosen`,
    prize: `prize prizes lottery lotto sweepstakes jackpot iphone ipad macbook samsung_galaxy gift_card giftcard voucher
      cash_prize preis gewinn hauptgewinn gewinnspiel lotterie gutschein geschenkkarte prix lot loterie tirage
      cheque_cadeau carte_cadeau bon_d_achat premio premios loteria sorteo tarjeta_regalo cheque_regalo bono reward
      airfryer thermomix dyson playstation`,
    claim: `claim collect_your_prize collect_your_reward collect_your_winnings redeem_your_prize claims_agent processing_fee shipping_fee small_fee survey einlosen jetzt_abholen preis_abholen
      gewinn_abholen beanspruchen anfordern bearbeitungsgebuhr umfrage versandgebuhr reclamer sondage reclamar
      reclame encuesta cobrar frais_de_dossier gastos_de_envio frais_de_port versandkosten gastos_de_gestion
      teilnehmen beantworten antworten`,
    recorded: `recorded recording filmed webcam camera kamera cam hacked infected trojan malware spyware rat keylogger
      footage aufgenommen gehackt infiziert schadsoftware trojaner gefilmt aufzeichnung enregistre enregistree filme
      pirate piratee logiciel_malveillant cheval_de_troie grabado grabe hackeado pirateado infectado troyano
      screenshot compromising masturbating masturbation masturbieren masturbant masturbando masturbandote`,
    coins: `bitcoin bitcoins btc ethereum monero litecoin usdt tether crypto cryptocurrency kryptowahrung kryptowahrungen
      cryptomonnaie cryptomonnaies criptomoneda criptomonedas xmr`,
    shame: `video videos contacts friends colleagues family masturbate masturbated masturbates masturber masturbieren masturbiert intimate porn porno pornos porns
      pornography pornographic pornografie pornographie pornografia pornhub adult_sites adult_websites kontakte
      freunde freunden familie kollegen intim intime intimen vertreter proches contacts_seront amis famille collegues
      adultes contactos amigos familiares familia companeros adultos webcam social_networks perverted embarrassing`,
    ransom: `bitcoin btc pay send transfer zahlen uberweisen uberweise senden payer versez envoyez verser pagar transferir
      envie envia wallet monero`,
    menace: `i_will_send i_ll_send i_will_publish i_ll_publish i_will_share i_ll_share i_will_release i_ll_release i_will_post
      i_ll_post i_will_forward i_ll_forward i_will_expose i_ll_expose i_will_leak i_ll_leak i_will_upload i_will_distribute
      i_will_spread i_will_show i_will_destroy i_will_delete i_ll_delete i_will_erase i_will_forget or_i_will or_i_ll or_i_send
      or_i_publish or_i_release or_i_share and_i_will_delete i_am_going_to want_me_to_send not_want_me_to don_t_want_me
      we_will_publish we_will_release we_will_leak we_will_expose we_will_send we_will_attack we_ll_publish we_ll_release
      we_ll_leak your_data_will_be your_files_will_be will_be_sent_to will_go_to_all will_see_it will_see_the everyone_will_see
      you_do_not_pay you_don_t_pay unless_you_pay you_refuse ich_werde sende_ich schicke_ich verschicke_ich veroffentliche_ich
      verbreite_ich loesche_ich losche_ich wir_veroffentlichen werden_wir wenn_sie_nicht_zahlen nicht_bezahlen je_vais
      j_enverrai je_publierai je_diffuserai je_supprimerai j_envoie je_publie nous_publierons ne_payez_pas enviare publicare
      difundire compartire borrare voy_a_enviar voy_a_publicar publicaremos quiere_que_envie quieres_que_envie
      quieres_que_todos que_todos_lo_vean no_paga`,
    yours: `your_contacts your_friends your_family your_relatives your_colleagues your_address_book your_followers your_employer
      all_your everyone_you everybody_you of_you recorded_you filmed_you watched_you you_visited your_device your_computer
      your_webcam your_camera your_screen your_data your_files your_network your_website your_servers ihre_kontakte
      ihren_kontakten ihrer_kontakte deine_kontakte deinen_kontakten ihre_freunde ihren_freunden ihre_familie ihrer_familie
      ihr_gerat ihres_gerats ihre_kamera ihrer_kamera deine_kamera ihre_daten sie_gefilmt sie_aufgenommen von_ihnen vos_contacts
      tes_contacts vos_proches votre_famille vos_amis votre_appareil votre_camera votre_webcam vos_donnees de_vous
      vous_ai_filme sus_contactos tus_contactos sus_amigos tus_amigos su_familia su_dispositivo tu_dispositivo su_camara
      tu_camara su_ordenador tu_ordenador de_usted sus_datos`,
    double: `double doubled doubling triple multiply verdoppeln verdoppelt verdreifachen vervielfachen doubler doublez
      multiplier multipliez duplicar duplique multiplicar duplica giveaway send_back`,
    invest: `invest investment investor trading trader profit profits returns investieren investition rendite gewinne
      handelsplattform investir investissement rendement gains benefices invertir inversion ganancias rentabilidad
      beneficios passive_income passives_einkommen revenu_passif ingresos_pasivos ertrag`,
    sure: `guaranteed risk_free riskfree no_risk garantiert garantierte garantierter garantierten risikofrei
      risikolos ohne_risiko garanti garantis garantie garanties sans_risque garantizada garantizadas garantizado
      garantizados sin_riesgo al_dia diarios pro_tag per_day every_day autopilot
      in_only in_nur en_seulement en_solo aucun_risque kein_risiko ningun_riesgo`,
    seed: `seed_phrase recovery_phrase secret_phrase private_key private_keys passphrase wiederherstellungsphrase
      seedphrase phrase_de_recuperation phrase_secrete cle_privee frase_semilla frase_de_recuperacion clave_privada
      12_word 24_word wiederherstellungsworter 24_worter 12_worter 24_mots 12_mots 24_palabras 12_palabras`,
    wallet: `wallet wallets metamask ledger trezor coinbase binance kraken trust_wallet phantom opensea blockchain_com
      cryptowallet walletconnect exodus bitpanda`,
    walletact: `verify validate validation synchronize synchronise sync migrate migration restore connect reconnect
      suspended restricted deactivated verifizieren validieren synchronisieren bestatigen verifier valider synchroniser
      verificar validar sincronizar enter eingeben entrer saisir introducir kyc upgrade update aktualisieren airdrop`,
    giftcards: `gift_cards giftcards gift_card geschenkkarten geschenkkarte gutscheinkarten guthabenkarten cartes_cadeaux
      cartes_cadeau tarjetas_regalo tarjetas_de_regalo steam_cards itunes_cards google_play_cards apple_cards
      amazon_cards vouchers_for paysafecard neosurf gutscheincodes`,
    errand: `i_need_you reimburse reimbursed done_asap send_me_the email_me_the text_me_the kaufen_sie_bitte erstatte erstatten
      besorg besorgen rembourserai rembourse reembolsare reembolso`,
    reachable: `are_you_available are_you_free are_you_at are_you_in at_your_desk you_available_now in_a_meeting
      in_meetings cannot_talk can_t_talk cant_talk can_t_take_calls no_calls dont_call sind_sie_am am_platz verfugbar
      in_einer_besprechung in_einem_meeting im_meeting nicht_telefonieren nicht_anrufen etes_vous_disponible
      es_tu_disponible en_reunion pas_joignable pas_m_appeler ne_m_appelez esta_disponible estas_disponible
      estas_en_la en_una_reunion no_puedo_hablar no_me_llames no_llames bist_du_am bist_du_gerade`,
    wire: `wire_transfer wire bank_transfer transfer_of uberweisung eiluberweisung sofortuberweisung uberweisen virement
      transferencia process_a_payment make_a_payment zahlung_veranlassen zahlung_anweisen effectuer_un_paiement
      realizar_un_pago international_payment auslandsuberweisung payment_today zahlung_ausfuhren urgent_payment`,
    quiet: `keep_this_confidential keep_it_confidential keep_confidential keep_this_between strictly_confidential highly_confidential
      remain_confidential remains_confidential stay_confidential confidential_acquisition confidential_matter confidential_deal
      confidential_transaction confidential_transfer confidential_payment confidential_task confidential_for_now treat_this_confidentially
      handle_this_confidentially discreet discretion between_us do_not_tell dont_tell keep_this acquisition
      streng_vertraulich vertraulich_behandeln vertraulich_bleiben vertraulich_und bleibt_vertraulich absolut_vertraulich vertraulich_zu diskret diskretion stillschweigen ubernahme niemandem strictement_confidentiel strictement_confidentielle rester_confidentiel rester_confidentielle reste_confidentiel confidentiel_et
      operation_confidentielle confidentielle_et totalement_confidentiel
      toute_confidentialite
      discret discrete fusion entre_nous estrictamente_confidencial muy_confidencial totalmente_confidencial operacion_confidencial confidencial_y mantener_confidencial discrecion discreto entre_nosotros adquisicion no_lo_comentes
      personally personlich by_email_only nur_per_mail uniquement_par solo_por_correo auditor`,
    soon: `urgent urgently today immediately asap right_away heute sofort dringend umgehend aujourd_hui urgence
      immediatement tout_de_suite hoy urgente inmediatamente ahora_mismo within_the_hour end_of_day this_afternoon`,
    bank: `bank banks banking iban bank_account bankverbindung kontoverbindung bankdaten kontonummer compte_bancaire rib
      coordonnees_bancaires cuenta_bancaria datos_bancarios account_details banking_details bank_details`,
    changed: `changed change updated new geandert neue neuen neues aktualisiert gewechselt change changees modifie modifies
      nouveau nouvelles nouveaux nouvelle cambiado cambiados nueva nuevos nuevo actualizado actualizados`,
    invoice: `invoice invoices payments payment remittance rechnung rechnungen zahlung zahlungen facture factures paiement
      paiements reglements reglement factura facturas pago pagos supplier lieferant fournisseur proveedor salary gehalt
      salaire nomina payroll`,
    henceforth: `from_now future_payments all_future all_payments going_forward henceforth kunftig kunftige ab_sofort
      zukunftige desormais dorenavant a_compter futurs a_partir_de en_adelante futuros next_payroll under_audit
      old_account former_account altes_konto alte_konto ancien_compte cuenta_anterior audit next_payment`,
    macros: `enable_content enable_editing enable_macros enable_the_macros inhalt_aktivieren inhalte_aktivieren
      bearbeitung_aktivieren makros_aktivieren activer_le_contenu activer_les_macros activer_la_modification
      habilitar_contenido habilitar_macros habilitar_edicion habilite_el_contenido archive_password`,
    call: `call calling dial ring phone_us contact_us helpline hotline toll_free tollfree toll anrufen rufen appelez appeler
      contactez llame llama llamar llamenos telefon helpdesk support_team reach_us`,
    renewed: `renewed renewal auto_renewal auto_renew charged debited deducted verlangert abgebucht belastet abbuchung
      renouvele renouvellement debite preleve prelevement renovado renovacion cargado cobrado cargo auto_debit
      authorized processed`,
    protect: `norton mcafee geek_squad geeksquad lifelock antivirus anti_virus virenschutz kaspersky avast
      windows_defender microsoft_defender defender computer_protection totalav pc_support support_plan bitcoin
      paypal coinbase total_protection web_protection`,
    cancel: `cancel cancellation dispute refund unauthorized unauthorised did_not_authorize stornieren kundigen widerrufen
      ruckerstattung annuler annulation rembourser contester cancelar anular reembolso disputar did_not_make
      not_authorize report`,
    device: `computer pc device windows laptop macbook rechner gerat ordinateur appareil ordenador dispositivo equipo
      system iphone`,
    infected: `infected virus viruses trojan spyware malware compromised blocked hacked infiziert viren trojaner
      gesperrt gehackt infecte virus_detectes bloque pirate infectado bloqueado hackeado damaged`,
    scan: `scan scannen scanne scannez flashez flasher escanee escanea escanear scanner einscannen`,
    qr: `qr qrcode qr_code`,
    auth: `mfa 2fa authentication authenticator authenticate authenticated
      re_authentication authentifizierung authentifizierungs authentifizieren authentification authentifier authentifiez
      autenticacion autenticar autentique autenticador multifactor two_factor multi_factor security_update
      re_authenticate payroll benefits salary bonus gehalt gehaltsanpassung paie salaire nomina employee_benefits verify
      verification bestatigen verifizieren verifier verificar pushtan sicherheitsverfahren photo_tan microsoft_365
      office_365 security_policy sicherheitsrichtlinie compliance`,
    company: `microsoft office it_department it_team it_support it_abteilung hr_department human_resources personalabteilung
      ressources_humaines recursos_humanos service_informatique administrator sharepoint docusign onedrive
      mobile_device smartphone telephone_portable telefono_movil handy sparkasse bank banque banco`,
    shared: `shared sent has_sent received geteilt gesendet erhalten partage envoye recu compartido enviado recibido voicemail
      voice_message sprachnachricht message_vocal mensaje_de_voz fax efax`,
    document: `document documents file files pdf voicemail fax voice_message dokument datei dokumente sprachnachricht fichier
      message_vocal documento archivo mensaje_de_voz secure_message proposal remittance_advice`,
    mailsignin: `sign_in_with_your log_in_with_your email_password your_email_password your_email_credentials
      work_email office_365_login mit_ihren_e_mail e_mail_passwort avec_votre_adresse
      con_su_correo contrasena_de_correo email_and_password to_view_the access_the_document`,
    kin: `hallo_mama hallo_papa hi_mum hi_mom hi_dad hello_mum hello_mom hello_dad hey_mum hey_mom hey_dad mama papa mum mom
      dad maman coucou_maman coucou_papa hola_mama hola_papa hola_mami grandma grandpa oma opa`,
    newnumber: `new_number new_phone phone_broke phone_is_broken broken_phone dropped_my_phone lost_my_phone neue_nummer
      neue_handynummer handy_ist_kaputt handy_kaputt handy_verloren nouveau_numero telephone_est_casse casse_mon_telephone
      perdu_mon_telephone nuevo_numero telefono_roto perdido_el_movil movil_roto se_me_ha_roto whatsapp`,
    send: `pay send transfer lend borrow bezahlen uberweisen schicken sofortuberweisung leihen payer envoyer virement preter
      pagar enviar transferir transferencia prestar bizum rechnung bill facture factura`,
    askmoney: `pay transfer lend borrow money bill bills invoice bezahlen uberweisen uberweise uberweisung sofortuberweisung geld
      rechnung rechnungen leihen payer virement argent facture preter regler pagar transferir transferencia bizum dinero factura
      prestar`,
    favour: `can_you could_you would_you please need_you need_to have_to urgent urgently kannst_du konntest_du bitte muss_ich
      ich_muss musst_du dringend peux_tu pourrais_tu tu_peux dois_je je_dois il_faut urgence puedes podrias tengo_que necesito
      urgente`,
    cashing: `western_union moneygram money_gram cashier_s_check money_order gift_card_codes cash_by_mail ria_money
      bargeld_per_post mandat_cash coupons_pcs transcash prepaid_card`,
    stranger: `abroad mission overseas missionary keys_by_courier agent_will_deliver shipping_agent im_ausland auf_mission
      schlussel_per a_l_etranger en_mission extranjero de_viaje courier god_bless kindly deployed army_officer
      oil_rig peacekeeping`,
    deposit: `deposit first_month rent rental apartment flat vehicle car puppy kaution miete wohnung mietwohnung caution loyer
      appartement logement fianza alquiler piso alojamiento`,
    payday: `salary payroll direct_deposit wages paycheck pay_run gehalt lohn gehaltszahlung lohnabrechnung salaire paie
      virement_de_salaire nomina salario sueldo`,
    alter: `change changed changing update updated switch switched new andern geandert neue neuen wechsel gewechselt umstellen
      changer change modifier nouveau nouvelle cambiar cambiado cambio nueva nuevo actualizar`,
    attack: `ddos bomb explosive explosives leaked stolen_data encrypted_your ransomware will_publish publish_your bombe
      sprengsatz angriff gestohlene daten_veroffentlichen attaque bombe publier_vos explosif bomba ataque publicaremos
      publicar_sus hitman`,
    oneairdrop: `airdrop`,
    tokens: `token tokens nft nfts solana wallet wallets metamask bitcoin ethereum usdt crypto claim_page`,
    airdrop: `airdrops token_airdrop crypto_airdrop airdrop_of presale token_claim free_tokens claim_your_tokens eligible_wallet connect_your_wallet
      connect_wallet wallet_verbinden connecter_votre_portefeuille conecte_su_cartera whitelist`,
    platform: `platform plattform plateforme plataforma system methode methode_secrete sistema bot robot software trading
      trading_bot kryptosystem app_de_trading`,
    stranger_love: `saw_your_profile your_profile_on serious_man serious_relationship looking_for_a_man some_photos_of_me send_you_my_photos
      get_to_know_you soulmate i_am_a_girl ernsthafte_beziehung vu_ton_profil vu_votre_profil relation_serieuse vi_tu_perfil
      relacion_seria lonely_and`,
    romance: `lonely single_woman single_women hot_singles meet_singles hot_girls sexy ladies_in_your nude nudes dating_site
      einsame_frauen heisse_frauen femmes_celibataires femmes_chaudes mujeres_solteras chicas_calientes beautiful_women
      russian_brides horny`,
    job: `work_from_home working_from_home home_based no_experience heimarbeit von_zu_hause keine_erfahrung
      travail_a_domicile depuis_chez_vous sans_experience trabajo_desde_casa desde_casa sin_experiencia mystery_shopper
      payment_agent finanzagent data_entry like_videos rate_hotels per_task`,
    earn: `earn earnings make_money verdienen verdienst gagner gagnez ganar gane gana income einkommen revenu ingresos
      weekly_pay per_week pro_woche par_semaine por_semana per_month im_monat`,
  },
  concepts: {
    advance_fee: {
      ...{ points: 32, more: 16, max: 64, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'Much money is offered by a stranger',
    },
    prize: {
      ...{ points: 14, more: 21, max: 60, fraud: 2 },
      description: 'The reader is said to have won something',
      suggestion: 'Name the competition and how the reader came to take part, and ask for nothing in return',
    },
    extortion: {
      ...{ points: 46, more: 14, max: 70, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'The reader is threatened with what somebody has recorded',
    },
    false_investment: {
      ...{ points: 24, more: 16, max: 60, fraud: 2 },
      description: 'Profit is promised as certain',
      suggestion: 'Say what is invested in and what may be lost',
    },
    wallet_phishing: {
      ...{ points: 26, more: 14, max: 54, fraud: 2, suggestion: SUGGEST.CHECK },
      description: 'A wallet is said to need its owner’s keys or a validation',
    },
    chief_order: {
      ...{ points: 36, more: 22, max: 80, fraud: 2 },
      description: 'A secret or sudden errand with money, as in orders in the name of a chief',
      suggestion: 'Give such orders in a way that the reader can check',
    },
    bank_change: {
      ...{ points: 38, more: 24, max: 70, fraud: 2, unlessStated: '#check' },
      description: 'Bank details are said to have changed',
      suggestion: 'Tell a change of bank details by letter, or let the reader check it on a known number',
    },
    macros: {
      ...{ points: 34, more: 0, max: 34, fraud: 2 },
      description: 'The reader is asked to let a document run programs',
      suggestion: 'Send a PDF, or a page',
    },
    false_support: {
      ...{ points: 18, more: 18, max: 60, fraud: 2 },
      description: 'A charge or an infection, and a number to call',
      suggestion: 'Lead to the order on your site; name what was bought and by whom',
    },
    qr_lure: {
      ...{ points: 18, more: 12, max: 42, fraud: 2 },
      description: 'A QR code is to be scanned for a sign-in or a verification',
      suggestion: 'Link to the page: the reader is reading on a device that follows links',
    },
    document_lure: {
      ...{ points: 20, more: 10, max: 40, fraud: 2 },
      description: 'A document asks for the password of the mailbox',
      suggestion: 'Attach the document, or link to it without a sign-in',
    },
    romance: {
      ...{ points: 16, more: 10, max: 36, fraud: 1, suggestion: SUGGEST.DROP },
      description: 'Words of dating spam',
    },
    loan_offer: {
      ...{ points: 24, more: 16, max: 40, fraud: 2 },
      description: 'A loan is offered without security',
      suggestion: 'Name the lender, its licence and the conditions',
    },
    family_emergency: {
      ...{ points: 44, more: 18, max: 62, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'Somebody close is said to write from a new number and to need money',
    },
    cash_request: {
      ...{ points: 26, more: 20, max: 62, fraud: 2 },
      description: 'Money is asked for by a way from which none comes back',
      suggestion: 'Offer means of payment that the reader can trust',
    },
    job_scam: {
      ...{ points: 18, more: 10, max: 36, fraud: 2 },
      description: 'Money for easy work at home',
      suggestion: 'Name the employer, the work and where the offer can be read',
    },
  },
  patterns: [
    { concept: 'false_investment', sets: ['coins', 'withdrawal', 'fee', 'within'], gap: 60, unless: 'warned' },
    { concept: 'loan_offer', sets: ['loan', 'unsecured'], gap: 24 },
    { concept: 'loan_offer', sets: ['loan', 'deal'], gap: FAR },
    { concept: 'false_support', sets: ['charged', 'notyou', '#phone', 'soon'], gap: FAR },
    { concept: 'family_emergency', sets: ['kin', 'newnumber', 'askmoney', 'favour'], gap: FAR, unless: 'warned' },
    {
      concept: 'family_emergency',
      sets: ['kin', 'newnumber', 'askmoney', 'favour', 'soon'],
      gap: FAR,
      unless: 'warned',
    },
    { concept: 'cash_request', sets: ['cashing', 'send'], gap: 30, unless: 'warned' },
    { concept: 'cash_request', sets: ['cashing', 'stranger'], gap: FAR },
    { concept: 'cash_request', sets: ['deposit', 'stranger', 'send'], gap: 80, unless: 'warned' },
    { concept: 'bank_change', sets: ['payday', 'alter', 'bank'], gap: 24 },
    { concept: 'bank_change', sets: ['payday', 'alter', 'account'], gap: 16 },
    { concept: 'bank_change', sets: ['payday', 'bank', 'reachable'], gap: FAR },
    { concept: 'bank_change', sets: ['payday', 'bank', 'henceforth'], gap: 50 },
    { concept: 'extortion', sets: ['attack', 'coins', 'menace', 'yours'], gap: FAR },
    { concept: 'wallet_phishing', sets: ['airdrop', 'claim'], gap: 30, unless: 'warned' },
    { concept: 'wallet_phishing', sets: ['oneairdrop', 'tokens', 'claim'], gap: 30, unless: 'warned' },
    { concept: 'wallet_phishing', sets: ['oneairdrop', 'wallet'], gap: 30, unless: 'warned' },
    { concept: 'wallet_phishing', sets: ['airdrop', 'wallet'], gap: 30, unless: 'warned' },
    { concept: 'prize', sets: ['won', 'prize', 'deal'], gap: FAR },
    { concept: 'prize', sets: ['claim', 'prize', 'you'], gap: 8, unless: 'warned' },
    { concept: 'false_investment', sets: ['platform', 'sure', 'earn'], gap: 40, unless: 'caution' },
    { concept: 'false_investment', sets: ['invest', 'earn', 'sure', '#money'], gap: 40, unless: 'caution' },
    { concept: 'document_lure', sets: ['document', 'signin', 'passwords'], gap: 24, unless: 'never' },
    { concept: 'document_lure', sets: ['document', 'signin', 'expiry'], gap: 40 },
    { concept: 'romance', sets: ['stranger_love'], gap: 0 },
    { concept: 'advance_fee', sets: ['inherit', 'million', 'sum'], gap: 30 },
    { concept: 'advance_fee', sets: ['inherit', 'million', 'deal'], gap: FAR },
    { concept: 'advance_fee', sets: ['inherit', 'wealth', 'deal', 'you'], gap: 30 },
    { concept: 'advance_fee', sets: ['million', 'deal', 'you', 'sum'], gap: 30 },
    { concept: 'prize', sets: ['you', 'won', 'prize'], gap: 14, unless: 'warned' },
    { concept: 'prize', sets: ['won', 'prize', 'claim'], gap: 50, unless: 'warned' },
    { concept: 'prize', sets: ['won', 'million'], gap: 14, unless: 'warned' },
    { concept: 'extortion', sets: ['recorded', 'coins', 'shame', 'menace', 'yours'], gap: FAR },
    { concept: 'extortion', sets: ['recorded', 'shame', 'menace', 'yours', '#wallet'], gap: FAR },
    { concept: 'extortion', sets: ['coins', 'shame', 'menace', 'yours', '#wallet'], gap: FAR },
    { concept: 'false_investment', sets: ['double', 'coins'], gap: 8, unless: 'caution' },
    { concept: 'false_investment', sets: ['invest', 'sure', 'coins'], gap: 30, unless: 'caution' },
    { concept: 'false_investment', sets: ['invest', 'sure', '#money'], gap: 12, unless: 'caution' },
    { concept: 'false_investment', sets: ['invest', 'sure', '#percent'], gap: 14, unless: 'caution' },
    { concept: 'wallet_phishing', sets: ['seed', 'walletact'], gap: 10, unless: 'never', unlessStated: '#release' },
    {
      concept: 'wallet_phishing',
      sets: ['wallet', 'walletact', 'soon'],
      gap: 24,
      unless: 'never',
      unlessStated: '#release',
    },
    { concept: 'wallet_phishing', sets: ['wallet', 'walletact', 'suspend'], gap: 24, unless: 'never' },
    { concept: 'wallet_phishing', sets: ['wallet', 'walletact', 'within'], gap: 24, unless: 'never' },
    {
      concept: 'wallet_phishing',
      sets: ['wallet', 'verify', 'coins'],
      gap: 24,
      unless: 'never',
      unlessStated: '#release',
    },
    { concept: 'chief_order', sets: ['giftcards', 'errand', 'reachable'], gap: FAR },
    { concept: 'chief_order', sets: ['giftcards', 'errand', 'soon'], gap: 40, unless: 'warned' },
    { concept: 'chief_order', sets: ['giftcards', 'errand', 'quiet'], gap: FAR },
    { concept: 'chief_order', sets: ['wire', 'quiet', 'soon'], gap: FAR },
    { concept: 'chief_order', sets: ['wire', 'reachable', 'soon'], gap: FAR },
    { concept: 'chief_order', sets: ['wire', 'quiet', 'reachable'], gap: FAR },
    { concept: 'bank_change', sets: ['bank', 'changed', 'henceforth'], gap: 40 },
    { concept: 'bank_change', sets: ['bank', 'changed', 'invoice', 'soon'], gap: 60 },
    { concept: 'bank_change', sets: ['bank', 'changed', 'invoice', 'henceforth'], gap: FAR },
    { concept: 'macros', sets: ['macros'], gap: 0 },
    { concept: 'false_support', sets: ['protect', 'renewed', '#phone'], gap: FAR },
    { concept: 'false_support', sets: ['cancel', 'call', '#phone', 'protect'], gap: 40 },
    { concept: 'false_support', sets: ['renewed', 'cancel', 'call', '#phone'], gap: 60 },
    { concept: 'false_support', sets: ['device', 'infected', 'call'], gap: 30 },
    { concept: 'false_support', sets: ['device', 'infected', '#phone'], gap: FAR },
    { concept: 'qr_lure', sets: ['scan', 'qr', 'auth'], gap: 40, unless: 'warned', unlessStated: '#onscreen' },
    { concept: 'qr_lure', sets: ['qr', 'auth', 'company', 'within'], gap: FAR },
    { concept: 'qr_lure', sets: ['qr', 'account', 'suspend'], gap: 60, unless: 'warned' },
    { concept: 'qr_lure', sets: ['scan', 'qr', 'urgent'], gap: FAR },
    { concept: 'document_lure', sets: ['shared', 'document', 'mailsignin'], gap: 40 },
    { concept: 'document_lure', sets: ['document', 'verify', 'passwords'], gap: 24 },
    { concept: 'romance', sets: ['romance'], gap: 0 },
    { concept: 'romance', sets: ['romance', 'click'], gap: FAR },
    { concept: 'job_scam', sets: ['job', 'earn', '#money'], gap: 30, unless: 'warned' },
    { concept: 'job_scam', sets: ['job', 'earn', 'coins'], gap: FAR },
  ],
}
