// What fraud wants, whatever its story: the reader is to act soon or lose something; money is to take another route than
// before; a stranger is to be given codes, papers or silence. Four languages. The sets are broad, so each pattern needs
// several of them close together, and most are weak signs. A link that leads elsewhere, an impersonated brand or a second
// sign turns them into fraud (score.ts, links.ts).

import { FAR, type Lexicon } from './lexicon.ts'
import { SUGGEST } from './lexicon-fraud.ts'

export const INTENTS: Lexicon = {
  sets: {
    demand: `click tap press sign_in signing_in log_in login follow_the confirm verify update complete review restore
      reactivate settle pay submit open scan validate unlock release appeal respond reschedule cancel_it keep_using
      klicken tippen anmelden bestatigen aktualisieren begleichen bezahlen prufen scannen freischalten freigeben
      verifizieren vervollstandigen reaktivieren uberprufen cliquez connectez confirmez validez regler reglez payez
      mettre_a_jour mettez completez identifiant identifiez verifiez annulez remplir remplissez pulse pulsa haga_clic
      haz_clic acceda accede confirme confirma verifique verifica actualice actualiza complete rellene rellenar
      validar pague paga introduzca inicie_sesion ampliar amplie`,
    loss: `suspended suspend suspension locked blocked restricted limited paused disabled deactivated deleted removed
      closed terminated cancelled canceled lost lose unpublished returned_to sent_back late_fee penalty stay_paused
      remain_paused cannot_move will_be_charged interrupted disconnection revoked forfeited gesperrt sperrung
      eingeschrankt deaktiviert geloscht entfernt geschlossen storniert zuruckgesendet zuruck_an_den zuruckgeschickt
      abgeschaltet beendet verfallt verfallen pfandung unterbrochen suspendu suspendue bloque bloquee desactive
      desactivee supprime supprimee ferme fermee annule annulee retourne resilie perdu en_pause coupure suspendida
      suspendido bloqueada bloqueado limitado limitada desactivada desactivado eliminada eliminado eliminara borraran
      borrara cancelada cancelado devuelto perdera cortara`,
    clock: `within today tonight midnight end_of_day before_midnight immediately expires_in last_day hours_left
      innerhalb binnen heute noch_heute mitternacht umgehend sofort in_kurze stunden sous_24 sous_48 aujourd_hui
      ce_soir minuit avant_minuit immediatement delai hoy esta_noche medianoche inmediatamente en_las_proximas
      antes_de_24 plazo_de dentro_de in_the_next next_24 next_48 24_hours 48_hours 12_hours 72_hours 24_stunden
      48_stunden 24_heures 48_heures 24_h 48_h 24h 48h 24_horas 48_horas 72_horas final_notice soon_as`,
    password: `password passcode passwort kennwort mot_de_passe contrasena`,
    secretbits: `passphrase pin cvv ssn card_details card_number bank_details credit_card debit_card membership_number
      security_code login_details online_id credentials kartendaten kreditkarte bankdaten zugangsdaten kreditkartendaten
      bankkarte carte_bancaire coordonnees_bancaires identifiants numero_de_carte datos_bancarios datos_de_su_tarjeta
      tarjeta_de_credito numero_de_tarjeta clave claves recovery_phrase`,
    owed: `amount_of balance outstanding unpaid offen betrag betrag_von restbetrag zuschlag differenz montant somme
      montant_de solde impaye importe saldo pendiente cantidad_de small_fee small_payment shipping_fee redelivery
      redelivery_fee delivery_fee nachnahme`,
    goods: `parcel package shipment delivery paket sendung lieferung colis livraison paquete envio entrega packet`,
    undone: `could_not unable not_be cannot_be not_delivered incomplete on_hold waiting failed konnte_nicht konnten_nicht
      nicht_ausgeliefert nicht_ausliefern nicht_zugestellt nicht_zustellen wartet unvollstandig angehalten n_a_pas pas_pu
      en_attente incomplete bloque no_se no_ha no_pudo no_hemos pendiente retenido retenue held missing`,
    paydata: `iban bic swift routing_number account_number bank_account bank_details bankverbindung bankdaten konto
      kontonummer kontoverbindung rib compte_bancaire coordonnees_bancaires cuenta cuenta_bancaria datos_bancarios
      numero_de_cuenta sort_code direct_deposit bankkonto beneficiary_account subsidiary_account`,
    othernow: `changed new updated different instead hereafter no_longer geandert neue neuen neues statt_dessen anstatt
      nicht_mehr ab_sofort kunftig change nouveau nouvelle nouvelles desormais ne_plus plus_utilise cambiado nueva nuevo
      nuevos ya_no en_lugar under_audit currently_under closed_account cannot_receive bisherige bisheriges
      wurde_geandert hat_sich a_change`,
    dues: `invoice invoices payment payments remit remittance transfer outstanding rechnung rechnungen zahlung zahlungen
      uberweisen uberweisung facture factures paiement virement reglement factura facturas pago pagos transferencia
      payroll salary paycheck gehalt salaire nomina`,
    please: `please kindly bitte veuillez merci_de priere por_favor rogamos ruego we_ask_you bitten_wir wir_bitten`,
    cards: `gift_card gift_cards giftcard giftcards gutscheine gutscheinen gutscheinkarten gutschein geschenkkarten
      geschenkkarte amazon_gutscheine amazon_gutscheinen steam_karten google_play_karten cartes_cadeaux cartes_cadeau
      carte_cadeau bons_cadeaux tarjetas_regalo tarjeta_regalo tarjetas_de_regalo paysafecard steam_cards apple_cards
      prepaid_cards neosurf transcash`,
    buy: `buy purchase get_me get_some get_five pick_up i_need i_need_some need_you_to need_some kaufen kaufst kauf kaufe
      besorgen besorg besorgst ich_brauche brauche_ich acheter achete achetez j_ai_besoin prendre comprar compra compres compre
      necesito consigue conseguir`,
    backside: `scratch scratched code_on_the codes_on_the photo_of_the photos_of_the pictures_of_the picture_of_the numbers_on
      the_back pin_on codes freirubbeln rubbeln frei_rubbeln fotos_davon foto_davon ruckseite gratter grattez photo_des
      photos_des au_dos rascar rasque rasca codigos fotos_de_los foto_de_los reverso`,
    sendme: `send_me send_them_to send_over send_the_photos send_photos send_pictures
      send_a_photo send_a_picture email_me text_me mail_me forward_me whatsapp_me reply_with send_it_to_me to_me_by
      codes_to_me codes_here how_to_send i_will_send_them photos_of_the pictures_of_the schick_mir schicke_mir schicken_sie_mir
      sende_mir senden_sie_mir mir_die_codes mir_fotos mir_die_fotos mir_bilder mir_schicken mir_senden mir_ein_foto
      envoie_moi envoyez_moi m_envoyer envoie_les_moi m_envoies enviame enviarme mandame mandarme envieme
      me_envies me_mandes`,
    repay: `reimburse pay_you_back repay i_will_pay_you erstatte_dir erstatte_ihnen erstatte ersetze_dir bekommst_das_geld erstatten
      gebe_dir_das rembourse rembourserai te_rembourse reembolsare te_devuelvo devolvere te_lo_pago`,
    secrecy: `between_us to_yourself 
      keep_this_confidential keep_it_confidential keep_confidential keep_this_between strictly_confidential highly_confidential
      remain_confidential remains_confidential stay_confidential confidential_acquisition confidential_matter confidential_deal
      confidential_transaction confidential_transfer confidential_payment confidential_task confidential_for_now treat_this_confidentially
      handle_this_confidentially tell_anyone tell_nobody surprise
      niemandem streng_vertraulich vertraulich_behandeln vertraulich_bleiben vertraulich_und bleibt_vertraulich absolut_vertraulich vertraulich_zu nichts_davon noch_nichts uberraschung unter_uns nur_auf_diesem mit_niemandem entre_nous
      strictement_confidentiel strictement_confidentielle rester_confidentiel rester_confidentielle reste_confidentiel confidentiel_et
      operation_confidentielle confidentielle_et totalement_confidentiel discretion personne_n ne_parlez surprise estrictamente_confidencial muy_confidencial totalmente_confidencial operacion_confidencial confidencial_y mantener_confidencial entre_nosotros no_se_lo nadie sorpresa
      no_comentes only_by_email reply_only strictly`,
    busy: `in_a_meeting board_meeting in_meetings cannot_talk cannot_take can_t_take no_calls on_a_call
      at_your_desk are_you_available are_you_free got_a_moment need_a_favor need_a_favour quick_favor phone_is_bad
      in_einer_besprechung in_einer_sitzung nicht_telefonieren nicht_ans_telefon gerade_verfugbar bist_du_gerade
      sind_sie_gerade kurz_zeit en_reunion en_conference pas_telephoner disponible_maintenant besoin_d_un_service
      es_tu_disponible etes_vous_disponible en_una_reunion no_puedo_hablar estas_disponible esta_disponible
      necesito_un_favor are_you_around are_you_at_your in_einem_termin`,
    moneymove: `payment payments transfer wire deposit funds same_day_payment anzahlung uberweisung zahlung uberweisen
      uberweist bankdaten kontostand virement acompte transferencia pago_urgente anticipo account_balance payout bank_details
      account_details`,
    takeover: `acquisition merger announced announcement due_diligence takeover ubernahme fusion abschluss akquisition
      rachat acquisition adquisicion compra_de_la closing_of until_the_deal`,
    estate: `notary solicitor barrister attorney lawyer notar anwalt rechtsanwalt notaire avocat maitre notario abogado
      barrister_at widow witwe veuve viuda sergeant sergent sargento soldier soldat soldado military army armee ejercito
      diplomat diplomate diplomatico united_nations world_bank un_office central_bank zentralbank orphan cancer krebs
      leguer doctors arzte medecins medicos`,
    fortune: `million millions millionen million_d millones millon beneficiary begunstigter begunstigten beneficiaire
      beneficiario heir heirs erbe erben heritier heritiers heredero herederos fund funds fonds fondos inheritance
      dollars donate donation spenden spende donner don donar donacion compensation entschadigung atm_card box caja
      consignment trunk gold`,
    tellme: `reply_to_me write_to_me contact_me contact_the contact_my reply_to_my write_me_back get_back_to_me
      your_full_name full_name your_name phone_number private_email private_mail antworten_sie kontaktieren_sie
      schreiben_sie ihren_namen vollstandiger_name telefonnummer anschrift wenden_sie repondre repondez contactez
      vos_nom vos_noms adresse_privee me_repondre me_contacter contacte_con escribame escribeme respondame sus_datos
      nombre_completo persona_de_confianza alguien_de_confianza copy_of_your kopie_ihres copie_de_votre copia_de_su
      my_private our_lawyer my_lawyer as_soon_as_you`,
    shareit: `share split half percent equal_shares next_of_kin same_surname same_last_name partner teilen halfte
      prozent selben_nachnamen gleichen_nachnamen partageons partager parts_egales moitie meme_nom nom_de_famille
      repartir partes_iguales mitad mismo_apellido without_heirs sans_heritier ohne_erben sin_herederos died_without
      ready_for_delivery approved discretion charity wohltatigkeit charite caridad beneficencia for_the_poor orphanage`,
    spied: `access_to_your hacked_your gained_access installed_a my_program malware trojan spyware watched_you
      zugriff_auf_ihre zugriff_auf_ihr zugriff_auf_dein gehackt schadsoftware verfolgt acces_a_vos acces_a_votre
      acces_complet installe_un logiciel_espion surveille acceso_a_tu acceso_a_su acceso_total instale instalado
      programa_en_tu infected_your your_device tu_dispositivo votre_appareil`,
    exposed: `video recording recorded footage camera webcam adult_site adult_website adult_sites masturb private_life
      aufnahmen aufgenommen kamera erwachsenenseite bekannten kontakte intime video_von enregistre camera sites_pour
      adultes filme vos_contacts grabado grabe camara adultos tus_contactos pagina_para your_contacts all_your_contacts`,
    coinage: `bitcoin btc bitcoins usdt ethereum monero litecoin tether crypto kryptowahrung`,
    callnow: `call dial phone reach call_us toll_free helpline anrufen rufen appelez appeler llame llamar llamenos
      contact_our contactez kontaktieren help_desk billing_desk support_line fraud_department departamento_de_fraudes`,
    chargedyou: `charged debited renewed renewal deducted auto_debit purchase order_confirmed order_confirmation authorized
      payment_of withdrawn abgebucht verlangert belastet bestellung bestellt preleve renouvele commande achat cargado
      cobrado renovado pedido compra invoice_no statement subscription`,
    notmine: `did_not did_not_make did_not_place did_not_request did_not_authorise did_not_authorize was_not_you if_you_wish
      to_cancel wish_to_cancel not_recognize not_authorised nicht_veranlasst nicht_bestellt nicht_autorisiert nicht_sie
      stornieren n_avez_pas pas_a_l_origine pas_effectue annuler no_ha_realizado no_ha_hecho no_reconoce no_fue_usted
      cancelarlo dispute full_refund money_back reembolso erstattung remboursement stop_the_charge`,
    easywork: `part_time online_job remote_position home_office homeoffice teilzeit nebenjob nebenverdienst von_zuhause
      von_zu_hause temps_partiel a_domicile teletravail medio_tiempo tiempo_parcial desde_casa from_your_phone
      from_home per_day minutes_a_day hours_a_day stunden_am_tag heures_par_jour horas_al_dia no_experience
      keine_vorkenntnisse keine_erfahrung sans_experience sin_experiencia 60_minutes`,
    pays: `earn paid daily commission provision verdienst verdienen gagnez gagner remuneration ganar ganas comision
      salary income einkommen weekly per_week im_monat pro_tag par_jour al_dia usdt payout per_month`,
    odd: `whatsapp telegram signal process_payments payment_processing forward_the_money zahlungsabwicklung leiten_das
      weiterleiten auf_ihr_konto keep_10 behalten_sie reenvie transferez sur_votre_compte en_su_cuenta
      training_is_free agencies copy_of_your_id kopie_ihres_ausweises copie_de_votre copia_de_su_dni package_forwarding
      rate_hotels like_videos app_reviews`,
    lender: `offer_loans we_offer_loans loan_offer offer_business personal_loans private_loan need_of_a_loan need_a_loan
      urgent_loan kreditangebot privatkredit kredit_von privatdarlehen darlehen_von pret_entre offre_de_pret
      pret_d_argent je_propose_des prets prestamo_entre ofrezco_prestamos ofrecemos_prestamos prestamos_de
      prestamo_de loans_from kredite_von`,
    nocheck: `no_collateral no_credit_check bad_credit without_proof any_purpose sans_garantie sans_justificatif fiche
      interdit_bancaire sin_aval sin_comprobacion sin_comprobar sin_nomina asnef rechazado ohne_schufa trotz_schufa
      ohne_einkommensnachweis 2_interest 3_interest 2_zinsen 3_zinsen taux_de interes_del interest_rate personas_serias
      personnes_serieuses serious_people refused_by within_24 respuesta_en`,
    meds: `viagra cialis levitra xanax tramadol oxycodone adderall ozempic valium ambien kamagra sildenafil tadalafil
      pilules_bleues blaue_pillen pastillas_azules`,
    noscript: `no_prescription without_prescription sans_ordonnance ohne_rezept rezeptfrei sin_receta discreet discreete
      diskret discrete discreta worldwide_shipping money_back canadian_pharmacy online_pharmacy order_now`,
    stakes: `free_spins freispiele freispielen tours_gratuits giros_gratis tiradas_gratis free_chip no_deposit
      ohne_einzahlung sans_depot sin_deposito welcome_bonus willkommensbonus bonus_de_bienvenue bono_de_bienvenida
      casino slots jackpot ohne_oasis oasis_sperre crypto_payouts no_id keine_verifizierung`,
    playnow: `claim play spin register_now jetzt_spielen jetzt_registrieren spielen jouer jouez inscrivez jugar juega
      registrate payout payouts auszahlung gewinnen win before_midnight bonus`,
    darling: `my_dear dearest hello_dear my_love darling sweetheart mein_lieber meine_liebe schatz mon_cher ma_cherie
      mon_amour carino mi_amor querida querido honest_man your_profile tu_perfil ton_profil dein_profil single
      serious_relationship new_life_with neue_beziehung nueva_vida with_kisses kusse bisous besos my_heart i_feel
      te_quiero ich_liebe je_t_aime i_love_you`,
    need: `ticket visa money customs fees private_mail my_photos send_you my_photo box fees gastos aduana flug
      geld visum billet argent frais dinero vuelo help_me trust confianza vertrauen confiance meet_you come_to
      gift_for_you western_union`,
    copyright: `copyright infringes infringement community_standards community_guidelines urheberrecht urheberrechte
      gemeinschaftsstandards droits_d_auteur droit_d_auteur derechos_de_autor infringe infracciones reports_that
      propiedad_intelectual policy_violation trademark`,
    fanpage: `page account profile channel seite konto kanal compte chaine cuenta pagina perfil canal ad_account`,
    appeal: `appeal mistake error_form case einspruch widerspruch fehler irrtum contester erreur recours apelacion error
      apelar impugnar formulario`,
    attached: `attached attachment html_file attached_file attached_html anhang angehangte angehangten im_anhang
      piece_jointe fichier_joint ci_joint adjunto adjunta archivo_adjunto scanned_document voice_message`,
    openit: `in_your_browser in_a_browser im_browser dans_votre_navigateur navigateur en_su_navegador navegador to_unlock
      to_view_it zum_offnen entsperren deverrouiller desbloquear protected_file secure_document`,
    mailpass: `email_password your_email e_mail_konto e_mail_passwort email_account mail_account adresse_e_mail
      correo_electronico work_email company_email work_account company_account email_and_password`,
    portal: `document file letter portal salary bonus payslip settlement agreement dokument datei schreiben gehalt
      document fichier facture bulletin documento archivo nomina shared_a partage_un compartido agreement_pdf review_and_sign
      review_document invoice_pdf voicemail fax`,
    signon: `sign_in log_in login log_on anmelden einloggen melden_sie connectez connexion se_connecter identifiez
      inicie_sesion iniciar_sesion acceda autenticar`,
    quickrich: `automated_trading trading_system trading_platform trading_software trading_robot trade_crypto
      trading_bot handelssystem handelsplattform handelssoftware plateforme_de_trading systeme_automatique
      plataforma_de_inversion sistema_automatico kryptohandel secret_the_banks secret loophole geheimnis banks_do_not
      banken_wollen les_banques los_bancos algorithm`,
    richwords: `guaranteed guaranteed_results deposit_just per_day a_day first_week ordinary_people no_experience
      garantiert pro_tag am_tag schon_ab nur_250 einzahlung garanti par_jour depot garantizado al_dia deposito
      just_250 without_risk ohne_risiko sans_risque sin_riesgo financial_freedom quit_my_job`,
    winning: `won winner gewonnen gewinner gewinn gagne gagnant ganado ganador lottery lotterie loterie loteria jackpot
      selected chosen ausgewahlt selectionne seleccionado congratulations gluckwunsch felicitations felicidades`,
    shippingonly: `only_pay pay_only just_pay shipping_of nur_versand nur_die_versandkosten seulement_les_frais
      solo_pagas solo_los_gastos claim_now claim_your claim_the questions_about short_questions kurze_fragen
      kurze_umfrage quelques_questions preguntas reclama only_4_left left offer_ends`,
    wire2: `echtzeituberweisung sofortuberweisung instant_transfer virement_instantane transferencia_inmediata
      letztmalig letzte_mahnung final_demand derniere_relance ultimo_aviso disconnect_your stromsperre sperrung_ihres
      coupure_de corte_de_suministro zwangsvollstreckung bailiffs`,
  },
  concepts: {
    pressed_demand: {
      ...{ points: 9, more: 0, max: 9, fraud: 1, suggestion: SUGGEST.CHECK },
      description: 'Something is to be done soon, or else something is lost',
    },
    secret_demand: {
      ...{ points: 12, more: 0, max: 12, fraud: 1, suggestion: SUGGEST.CHECK },
      description: 'Secrets or means of payment are asked for behind a link',
    },
    held_goods: {
      ...{ points: 20, more: 8, max: 28, fraud: 2 },
      description: 'Goods are said to wait until a small sum is paid',
      suggestion: 'Take fees at check-out or at the door, and name the order that the parcel belongs to',
    },
    redirected_payment: {
      ...{ points: 58, more: 14, max: 72, fraud: 2, unlessStated: '#check' },
      description: 'A payment is to go to another account than before',
      suggestion: 'Tell a change of bank details by letter, or let the reader check it on a known number',
    },
    card_errand: {
      ...{ points: 46, more: 16, max: 62, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'Gift cards are to be bought and their codes sent',
    },
    secret_payment: {
      ...{ points: 44, more: 18, max: 62, fraud: 2 },
      description: 'Somebody who cannot be called asks for a secret payment',
      suggestion: 'Give such orders in a way that the reader can check',
    },
    fortune_offer: {
      ...{ points: 34, more: 18, max: 66, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'A stranger’s fortune is offered',
    },
    spied_upon: {
      ...{ points: 50, more: 14, max: 64, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'Silence about a recording is sold',
    },
    call_to_cancel: {
      ...{ points: 36, more: 10, max: 46, fraud: 2 },
      description: 'A charge that nobody made, and a number to call',
      suggestion: 'Lead to the order on your site; name what was bought and by whom',
    },
    mule_job: {
      ...{ points: 34, more: 14, max: 62, fraud: 2 },
      description: 'Good pay for a little work that strangers have others do',
      suggestion: 'Name the employer, the work and where the offer can be read',
    },
    private_loan: {
      ...{ points: 50, more: 14, max: 64, fraud: 2 },
      description: 'A loan is offered by a stranger',
      suggestion: 'Name the lender, its licence and the conditions',
    },
    pill_offer: {
      ...{ points: 36, more: 0, max: 36, fraud: 1, suggestion: SUGGEST.DROP },
      description: 'Medicine is sold without a prescription',
    },
    stakes_offer: {
      ...{ points: 22, more: 16, max: 38, fraud: 1 },
      description: 'A bonus to gamble with',
      suggestion: 'Mail it to nobody who did not ask for it',
    },
    love_letter: {
      ...{ points: 42, more: 0, max: 42, fraud: 2, suggestion: SUGGEST.DROP },
      description: 'A stranger’s love that needs money or trust',
    },
    strike: {
      ...{ points: 22, more: 10, max: 32, fraud: 2, suggestion: SUGGEST.CHECK },
      description: 'A page is said to break the law and to be closed',
    },
    open_with_password: {
      ...{ points: 44, more: 0, max: 44, fraud: 2 },
      description: 'An attached page asks for the password of the mailbox',
      suggestion: 'Attach the document itself',
    },
    work_login: {
      ...{ points: 22, more: 10, max: 32, fraud: 2, suggestion: SUGGEST.CHECK },
      description: 'A document that opens with the password of the mailbox',
    },
    trading_bait: {
      ...{ points: 34, more: 14, max: 48, fraud: 2 },
      description: 'A system that makes money by itself',
      suggestion: 'Say what is invested in and what may be lost',
    },
    prize_shipping: {
      ...{ points: 30, more: 12, max: 42, fraud: 2 },
      description: 'A prize for the price of its shipping',
      suggestion: 'Name the competition and how the reader came to take part, and ask for nothing in return',
    },
    debt_threat: {
      ...{ points: 28, more: 10, max: 38, fraud: 2 },
      description: 'A debt is to be paid at once, or else',
      suggestion: 'Name the matter and its number, and leave the threat to the letter',
    },
  },
  patterns: [
    { concept: 'pressed_demand', sets: ['demand', 'loss', 'clock'], gap: 40, unless: 'never' },
    {
      concept: 'secret_demand',
      sets: ['demand', 'password', 'clock'],
      gap: 50,
      unless: 'never',
      unlessStated: '#newsecret',
    },
    {
      concept: 'secret_demand',
      sets: ['demand', 'password', 'loss'],
      gap: 50,
      unless: 'never',
      unlessStated: '#newsecret',
    },
    { concept: 'secret_demand', sets: ['demand', 'secretbits', 'clock'], gap: 50, unless: 'never' },
    { concept: 'secret_demand', sets: ['demand', 'secretbits', 'loss'], gap: 50, unless: 'never' },
    { concept: 'secret_demand', sets: ['seed', 'please'], gap: 30, unless: 'never' },
    { concept: 'held_goods', sets: ['goods', 'undone', 'owed'], gap: 24, unless: 'never' },
    { concept: 'held_goods', sets: ['goods', 'owed', 'pay', 'clock'], gap: 40, unless: 'never' },
    { concept: 'redirected_payment', sets: ['paydata', 'othernow', 'dues', 'please'], gap: 40 },
    { concept: 'redirected_payment', sets: ['paydata', 'henceforth', 'dues'], gap: 24 },
    { concept: 'card_errand', sets: ['cards', 'buy', 'backside', 'sendme'], gap: 80, unless: 'warned' },
    { concept: 'card_errand', sets: ['cards', 'buy', 'repay'], gap: 80, unless: 'warned' },
    { concept: 'card_errand', sets: ['cards', 'buy', 'busy'], gap: 80, unless: 'warned' },
    { concept: 'secret_payment', sets: ['busy', 'secrecy', 'moneymove'], gap: FAR },
    { concept: 'secret_payment', sets: ['takeover', 'secrecy', 'moneymove'], gap: 80 },
    { concept: 'fortune_offer', sets: ['estate', 'fortune', 'tellme'], gap: 80, unlessStated: '#probate' },
    { concept: 'fortune_offer', sets: ['estate', 'fortune', 'shareit', '#money'], gap: 60, unlessStated: '#probate' },
    { concept: 'fortune_offer', sets: ['fortune', 'tellme', 'shareit', '#number'], gap: 60 },
    { concept: 'fortune_offer', sets: ['winning', 'fortune', 'tellme'], gap: 80 },
    { concept: 'fortune_offer', sets: ['winning', 'estate', 'tellme', '#number'], gap: 80 },
    { concept: 'spied_upon', sets: ['spied', 'exposed', 'coinage', 'menace'], gap: FAR },
    { concept: 'spied_upon', sets: ['exposed', 'menace', 'yours', '#wallet'], gap: FAR },
    { concept: 'call_to_cancel', sets: ['chargedyou', 'notmine', 'callnow', '#phone'], gap: 70 },
    { concept: 'mule_job', sets: ['easywork', 'pays', 'odd'], gap: 60, unless: 'warned' },
    { concept: 'private_loan', sets: ['lender', 'nocheck'], gap: 60 },
    { concept: 'private_loan', sets: ['lender', 'tellme'], gap: 80 },
    { concept: 'pill_offer', sets: ['meds', 'noscript'], gap: 60 },
    { concept: 'stakes_offer', sets: ['stakes', 'playnow'], gap: 24 },
    { concept: 'stakes_offer', sets: ['stakes', 'playnow', 'clock'], gap: 40 },
    { concept: 'love_letter', sets: ['darling', 'need', 'tellme'], gap: FAR },
    { concept: 'love_letter', sets: ['stranger_love', 'need'], gap: FAR },
    { concept: 'strike', sets: ['fanpage', 'copyright', 'appeal', 'clock'], gap: FAR },
    { concept: 'strike', sets: ['fanpage', 'copyright', 'loss'], gap: 40 },
    { concept: 'open_with_password', sets: ['attached', 'openit', 'mailpass'], gap: FAR },
    { concept: 'open_with_password', sets: ['attached', 'openit', 'passwords'], gap: 40 },
    { concept: 'work_login', sets: ['portal', 'signon', 'mailpass'], gap: 40 },
    { concept: 'work_login', sets: ['portal', 'signon', 'passwords', 'clock'], gap: 60 },
    { concept: 'trading_bait', sets: ['quickrich', 'richwords', '#money'], gap: 60, unless: 'caution' },
    { concept: 'trading_bait', sets: ['quickrich', 'richwords', 'coinage'], gap: 80, unless: 'caution' },
    { concept: 'prize_shipping', sets: ['winning', 'shippingonly', '#money'], gap: 60, unless: 'warned' },
    { concept: 'prize_shipping', sets: ['winning', 'shippingonly', 'clock'], gap: 60, unless: 'warned' },
    { concept: 'debt_threat', sets: ['wire2', 'pay', 'clock'], gap: FAR, unlessStated: '#crossed' },
  ],
}
