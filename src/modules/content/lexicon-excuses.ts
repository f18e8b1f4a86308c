// Concepts that cancel a sign of fraud (`unlessStated`), and concepts that restore it: a mail that asks the reader to check on a
// known number and also to keep it secret asks for no check. These concepts have no points. Four languages.

import { ANYWHERE, type Lexicon, type Pattern } from './lexicon.ts'

const LEAVE = `unsubscribe unsubscribing opt_out optout manage_preferences manage_your_preferences email_preferences
  preferences abbestellen abmelden austragen abbestellung newsletter_abmelden desabonner desabonnez desinscrire
  desinscription darse_de_baja date_de_baja dar_de_baja cancelar_suscripcion cancelar_la_suscripcion baja remove_me`
/** Subjects of mails that teach about fraud. */
const LESSON = `phishing security_awareness awareness_training security_training spot_a_scam spot_scams recognise_scams recognize_scams
  sicherheitsschulung betrugsmaschen betrugsversuche_erkennen hameconnage reconnaitre_les_arnaques evitar_estafas
  reconocer_estafas`

const silent = (unlessStated?: string): Lexicon['concepts'][string] => ({
  ...{ points: 0, more: 0, max: 0, fraud: 0, description: '', suggestion: '' },
  ...(unlessStated !== undefined && { unlessStated }),
})
const anywhere = (concept: string, set: string, unlessStated?: string): Pattern => ({
  ...{ concept, sets: [set], gap: ANYWHERE },
  ...(unlessStated !== undefined && { unlessStated }),
})

export const EXCUSES: Lexicon = {
  sets: {
    leave: LEAVE,
    lesson: LESSON,
    checkit: `you_have_my_phone you_have_my_number call_me_to_check call_me_to_confirm call_me_to_verify call_me_and_check
      sie_haben_meine_nummer du_hast_meine_nummer meine_nummer_haben_sie meine_nummer_hast_du vous_avez_mon_numero
      tu_as_mon_numero tiene_mi_numero tienes_mi_numero call_your_usual usual_contact by_phone known_number number_on_file
      number_you_know number_you_already usual_number verify_by confirm_by_phone telefonisch_ruckfrage bekannte_nummer
      ihnen_bekannten bekannten_nummer bekannten_telefonnummer gewohnten_nummer ruckfrage have_not_changed nicht_geandert
      par_telephone numero_habituel que_vous_connaissez por_telefono has_not_changed telefono_de_siempre telefono_habitual
      numero_habitual in_person personlich_ubergeben not_change do_not_change`,
    // Where the number of the new account is given, if not in the mail.
    elsewhere: `by_post in_the_post by_letter on_the_invoice on_your_invoice on_the_next_invoice on_your_next_invoice on_your_bill
      on_the_next_bill on_your_next_bill printed_in printed_on your_customer_account members_handbook notice_board
      per_post mit_der_post postalisch per_brief auf_der_rechnung auf_ihrer_rechnung auf_der_nachsten_rechnung
      auf_ihrer_nachsten_rechnung ihrem_kundenkonto im_kundenkonto ihrem_kundenportal im_kundenportal iban_steht
      im_mitgliederheft courrier_postal par_la_poste sur_la_facture sur_votre_facture sur_la_prochaine_facture
      sur_votre_prochaine_facture votre_espace_client correo_postal por_carta en_la_factura en_su_factura
      en_la_proxima_factura en_su_proxima_factura area_de_clientes`,
    rushed: `today immediately urgent urgently asap right_away same_day end_of_day within_24 noch_heute heute_noch umgehend
      unverzuglich dringend eilig bitte_sofort sofort_uberweisen aujourd_hui urgence immediatement sans_delai hoy
      urgente urgentemente inmediatamente cuanto_antes under_audit ongoing_audit
      cannot_talk can_t_talk cannot_take can_t_take no_calls not_call don_t_call lines_are_down no_need need_not
      not_need not_necessary not_required nicht_anrufen nicht_ans_telefon nicht_telefonieren nicht_notig nicht_notwendig
      nicht_erforderlich nicht_erreichbar nicht_prufen ne_m_appelez pas_m_appeler pas_joignable pas_besoin pas_necessaire
      inutile_de no_llame no_me_llame no_puedo_hablar no_es_necesario no_hace_falta in_a_meeting in_einer_besprechung
      en_reunion en_una_reunion`,
    enclosed: `attached attachment enclosed anhang angehangt angehangte angehangten beigefugt beigefugte beigefugten anbei
      ci_joint ci_jointe piece_jointe joint jointe adjunto adjunta adjuntos reply_to reply_for on_request write_back
      auf_anfrage antworten_sie sur_demande repondez a_peticion responda`,
    // News of a program from its maker; not when the reader is put under pressure.
    newversion: `release_notes changelog what_s_new versionshinweise notes_de_version notas_de_la_version`,
    cornered: `suspended suspension restricted deactivated expire expires within enter_your confirm_your validate_your verify_your
      gesperrt innerhalb bestatigen_sie geben_sie suspendu confirmez saisissez sous_24 suspendida confirme introduzca`,
    // An office writes to an heir about a person the heir knew; a stranger who offers a share or asks for secrecy is not one.
    probate: `probate letters_of_administration your_late nachlassgericht erbschein acte_de_notoriete declaracion_de_herederos`,
    strangeheir: `next_of_kin same_surname same_last_name confidential confidence foreign percent unclaimed dormant my_client
      died_without god_bless my_dear beloved telegram whatsapp private_email confidentiel confidencial vertraulich`,
    // A payment reminder that may have crossed with the payment.
    crossed: `already_paid have_paid gegenstandslos bereits_bezahlt bereits_gezahlt schon_bezahlt deja_paye deja_regle ya_ha_pagado
      ya_ha_abonado`,
    extorted: `bitcoin crypto gift_card gift_cards arrest police sofortuberweisung echtzeituberweisung
      instant_transfer today tonight within_24 within_48 24_hours 48_hours heute 24_stunden 48_stunden aujourd_hui 24_h hoy`,
    recording: `voicemail voice_message voice_mail audio_message fax efax telefax sprachnachricht message_vocal mensaje_de_voz`,
    // A code that the reader has yet to see is not a picture in the mail.
    onscreen: `code_shown_on code_displayed_on code_that_appears code_on_the_page code_on_the_screen code_on_your_screen
      code_auf_der_seite code_auf_dem_bildschirm code_am_bildschirm qr_code_angezeigt code_affiche_sur code_sur_la_page
      code_a_l_ecran qr_en_la_pagina qr_en_pantalla qr_que_aparece`,
    // Choosing a new password is not a request for a secret.
    newsecret: `choose_a_password choose_a_new_password choose_your_password choose_your_new_password create_a_password
      create_a_new_password create_your_password set_a_password set_a_new_password set_your_password set_your_new_password
      set_up_your_password set_up_a_password pick_a_password requested_a_password_reset request_to_reset
      password_reset_request ein_passwort_vergeben passwort_zu_vergeben vergeben_sie_ein vergeben_sie_ihr passwort_festlegen
      ein_passwort_zu passwort_wahlen wahlen_sie_ein_passwort legen_sie_ein_passwort legen_sie_ihr_passwort
      choisir_votre_mot choisir_un_mot choisir_un_nouveau choisissez_un_mot choisissez_votre_mot creer_votre_mot
      creer_un_mot creez_votre_mot definir_votre_mot definir_un_mot definissez_votre_mot elegir_una_contrasena
      elegir_tu_contrasena elija_una_contrasena crear_una_contrasena crear_tu_contrasena cree_una_contrasena
      establecer_una_contrasena establecer_tu_contrasena`,
  },
  concepts: {
    '#leave': silent(),
    '#lesson': silent(),
    '#newsecret': silent(),
    '#onscreen': silent('#rush'),
    '#release': silent('#cornered'),
    '#cornered': silent(),
    '#probate': silent('#strangeheir'),
    '#strangeheir': silent(),
    '#crossed': silent('#extorted'),
    '#extorted': silent(),
    '#recording': silent(),
    '#check': silent(),
    '#rush': silent(),
    '#here': silent(),
  },
  patterns: [
    anywhere('#leave', 'leave'),
    anywhere('#lesson', 'lesson'),
    anywhere('#newsecret', 'newsecret'),
    anywhere('#onscreen', 'onscreen'),
    anywhere('#release', 'newversion'),
    anywhere('#cornered', 'cornered'),
    anywhere('#probate', 'probate'),
    anywhere('#strangeheir', 'strangeheir'),
    anywhere('#crossed', 'crossed'),
    anywhere('#extorted', 'extorted'),
    anywhere('#recording', 'recording'),
    anywhere('#check', 'checkit', '#rush'),
    anywhere('#check', 'elsewhere', '#here'),
    anywhere('#rush', 'rushed'),
    anywhere('#rush', 'secrecy'),
    anywhere('#here', 'rushed'),
    anywhere('#here', 'secrecy'),
    anywhere('#here', 'enclosed'),
  ],
}
