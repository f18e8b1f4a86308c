// The language of fraud in English, German, French and Spanish: phishing for accounts, parcel and tax fees, advance fees,
// prizes, extortion, orders in the boss's name, changed bank details, fake support, fake investments.
//
// One pattern alone says little, because honest mail mentions accounts, parcels and payments too. Each is therefore worth
// less than the 20 points that would take a mail out of `low`, unless no honest mail says such a thing. Several patterns
// together indicate fraud (score.ts adds points for that). `unless: 'never'` exempts warnings against fraud.

import { FAR, type Lexicon } from './lexicon.ts'

const CHECK = 'Name the matter and the recipient, and lead to your own site; do not ask for secrets or threaten by mail'
const DROP = 'Leave it out: no recipient believes it and every filter knows it'

export const FRAUD: Lexicon = {
  sets: {
    never: `never nie niemals jamais nunca niemand scammers fraudsters betruger fraudeurs escrocs
      arnaqueurs estafadores timadores phishing`,
    account: `account accounts konto kontos kontozugang kundenkonto nutzerkonto benutzerkonto mailkonto compte comptes
      cuenta cuentas mailbox mailboxes postfach postfachs webmail messagerie buzon wallet wallets wallet_wurde card karte konten accounts_payable_portal carte_vitale
      kreditkarte bankkarte debitkarte carte tarjeta tarjetas banking onlinebanking online_banking online_banking_zugang
      apple_id email_address zugang zugriff acces acceso access profil perfil banque_en_ligne banca_online boite_mail
      boite_aux_lettres e_mail_konto abonnement mitgliedschaft membership subscription suscripcion pushtan phototan
      online_zugang securego mailzugang`,
    suspend: `suspend suspended suspends suspension suspending locked blocked restricted restriction restrictions limited
      limitation deactivated deactivation deactivate disabled disable terminated termination terminate frozen froze
      gesperrt sperrung gesperrte sperren eingeschrankt einschrankung deaktiviert deaktivierung blockiert ausgesetzt
      eingefroren stillgelegt loschung suspendu suspendue suspendre suspendus bloque bloquee bloques bloquer blocage
      restreint restreinte limite limitee desactive desactivee desactiver desactivation cloture cloturer gele
      suspendida suspendido suspender bloqueada bloqueado bloquear bloqueo restringida restringido limitada limitado
      desactivada desactivado desactivar cancelada inhabilitada inhabilitado congelada`,
    closing: `closed closure deleted deletion removed expire expires expired lose_access lost geschlossen geloscht ablauft
      ablauf abgelaufen abgeschaltet ferme fermee supprime supprimee fermeture expire expirera expirer eliminada
      eliminado cerrada cerrado caduca caducara expirar expirara expirado vencera`,
    permanently: `permanently permanent definitively forever dauerhaft endgultig unwiderruflich definitivement
      permanemment definitivamente permanentemente permanente automatically automatisch automatiquement automaticamente`,
    verify: `verify verifying verification validate validating validation confirm confirming revalidate reconfirm
      reactivate reauthenticate authenticate update updating re_enter reenter bestatigen bestatigung
      verifizieren verifizierung verifikation aktualisieren aktualisierung reaktivieren abgleich
      legitimieren identifizieren verifier verifiez verification confirmer confirmez confirmation valider
      validez actualiser actualisez mettre_a_jour mettez_a_jour reactiver reactivez verificar
      verifique verifica confirmar confirme confirma validar valide valida actualizar actualice actualiza reactivar
      reactive regularizar regularisieren`,
    secret: `identity identities credentials password passwords passcode personal_information account_information
      account_details card_details card_information bank_details login_details
      security_details personal_details mailbox_details identitat zugangsdaten kontodaten anmeldedaten
      passwort kennwort personliche_daten personlichen_daten kartendaten bankdaten kundendaten ihre_daten
      identite informations_personnelles vos_informations vos_donnees vos_coordonnees coordonnees_bancaires identifiants
      mot_de_passe donnees_personnelles donnees_bancaires informations_bancaires identidad
      sus_datos tus_datos datos_personales datos_bancarios contrasena credenciales informacion_personal claves_de_acceso
      datos_de_acceso social_security ssn pin_code tan_verfahren ownership`,
    billing: `payment_method payment_details payment_information billing_information billing_details zahlungsdaten
      zahlungsmethode zahlungsmittel zahlungsinformationen moyen_de_paiement informations_de_paiement
      informations_de_facturation mode_de_paiement metodo_de_pago datos_de_pago informacion_de_pago forma_de_pago
      credit_card kreditkarte carte_bancaire tarjeta_de_credito card_details kartendaten`,
    failed: `failed declined unsuccessful rejected could_not problem issue unable fehlgeschlagen abgelehnt problem
      nicht_moglich zuruckgewiesen echoue refuse refusee rejete rechazado rechazada fallido fallida problema error`,
    within: `within innerhalb binnen sous dans_les d_ici en_las en_un_plazo antes_de next in_the_next les_prochaines
      las_proximas proximas prochaines nachsten dentro_de en_menos_de moins_de less_than plazo_de delai_de`,
    hours: `hours hrs hour stunden stunde std heures heure horas hora h 24h 48h 72h 12h 6h`,
    urgent: `urgent urgently immediately immediate asap dringend sofort sofortige sofortiger umgehend unverzuglich
      eilig urgente urgence immediatement sans_delai sans_tarder inmediatamente inmediata inmediato urgentemente
      de_inmediato cuanto_antes`,
    final: `final_notice final_warning final_reminder last_warning last_reminder last_chance_to action_required
      immediate_action letzte_mahnung letzte_warnung letzte_aufforderung handlungsbedarf letzte_erinnerung
      dernier_avertissement dernier_avis dernier_rappel derniere_relance action_requise ultimo_aviso ultima_advertencia
      ultimo_recordatorio accion_requerida failure_to avoid_suspension avoid_closure otherwise_your andernfalls_wird
      a_defaut sans_action sans_reponse de_lo_contrario avant_ce_soir expires_today expire_aujourd_hui
      lauft_heute_ab caduca_hoy hoy_mismo before_midnight in_the_next_24 last_notice letzter_hinweis avant_minuit
      antes_de_medianoche sera_suspendu sera_bloque sera_suspendido will_be_suspended will_be_blocked`,
    click: `click_here click_below click_the klicken_sie hier_klicken cliquez_ici cliquez_sur cliquer_ici
      haga_clic haz_clic pulse_aqui pinche_aqui`,
    dear: `dear_customer dear_client dear_user dear_member dear_friend dear_beneficiary dear_sir dear_account
      dear_valued dear_email dear_winner dear_webmail dear_subscriber dear_cardholder hello_dear dear_taxpayer
      dear_employee sehr_geehrter_kunde sehr_geehrte_kundin sehr_geehrter_nutzer lieber_kunde lieber_nutzer
      cher_client chere_cliente cher_utilisateur cher_abonne cher_beneficiaire cher_contribuable estimado_cliente
      estimada_cliente estimado_usuario querido_cliente apreciado_cliente querido_amigo estimado_contribuyente
      sehr_geehrte_kunden attention_beneficiary valued_customer werter_kunde`,
    mailbox: `mailbox mail_box inbox e_mail_account email_account mail_account postfach mailkonto postfachspeicher
      boite_mail boite_de_reception boite_aux_lettres messagerie webmail buzon mail_quota mailbox_storage buzon_de_correo
      email_storage e_mail_speicher`,
    full: `full almost_full exceeded exceeding exceeds quota overloaded voll fast_voll uberschritten uberschreitet
      ausgelastet pleine saturee sature depasse depassee lleno llena excedido excedida superado agotado
      will_be_deactivated outdated upgrade obsolete`,
    held: `pending undelivered held quarantined blocked_messages unzugestellt zuruckgehaltene ausstehende en_attente
      non_distribues retenus pendientes retenidos`,
    messages: `messages message emails mails nachrichten messages_entrants mensajes correos`,
    release: `release retrieve recover deliver_now freigeben abrufen recuperer liberer liberar recuperar`,
    same: `same current existing aktuelles bestehendes selbe actuel actuelle actual misma`,
    keep: `keep retain maintain continue_using beibehalten behalten weiterhin conserver garder mantener conservar`,
    passwords: `password passwort kennwort mot_de_passe contrasena`,
    expiry: `expire expires expired expiring expiration ablauft abgelaufen lauft_ab expire expirer expirera caduca
      caducara expira vence`,
    today: `today tonight heute noch_heute aujourd_hui ce_soir hoy esta_noche`,
    signin: `sign_in signin log_in login logon anmelden einloggen anmeldung connecter connectez_vous connexion
      identifiez_vous iniciar_sesion inicie_sesion inicia_sesion acceder acceda accede einzuloggen`,
    unusual: `unusual suspicious unauthorized unauthorised irregular irregularities abnormal verdachtige verdachtig
      ungewohnliche ungewohnlich unbefugte unregelmassigkeiten inhabituelle inhabituel suspecte suspect non_autorise
      non_autorisee anormale inusual sospechosa sospechoso no_autorizado no_autorizada inusuales irregulares`,
    activity: `activity activities sign_in login transaction transactions access attempt attempts aktivitat aktivitaten
      anmeldung anmeldeversuch zugriff zugriffe transaktion activite activites connexion transaction acces tentative
      operation actividad acceso transaccion intento operacion movimiento movimientos inicio_de_sesion purchase
      charge payment zahlung`,
    parcel: `parcel parcels package packages shipment consignment delivery paket pakets pakete sendung lieferung packchen
      colis livraison expedition paquete paquetes envio entrega item_delivery`,
    stuck: `held on_hold hold waiting awaiting pending could_not not_be not_delivered undeliverable undelivered suspended
      stopped detained returned return_to_sender failed unable missed unsuccessful zuruckgehalten angehalten wartet
      nicht_zugestellt konnte_nicht nicht_ausgeliefert zuruckgeschickt zuruckgesendet lagert retenu bloque en_attente
      en_instance pas_pu n_a_pu suspendu retourne renvoye retenido retenida pendiente detenido detenida no_se no_ha
      no_pudo devuelto devuelta en_espera`,
    fee: `fee fees charge charges customs duty unpaid shipping_cost zollgebuhr zollgebuhren gebuhr gebuhren zoll
      versandkosten einfuhrabgaben nachzahlung porto frais taxe douane dedouanement affranchissement tasa tasas
      gastos arancel aduana aduanas aranceles tarifa porte`,
    pay: `pay paying paid settle settled settling payment bezahlen zahlen begleichen beglichen bezahlung zahlung
      uberweisen entrichten payer regler reglez payez paiement reglement acquitter pagar abonar abone pague paga pago
      pagado liquidar remit remittance`,
    redeliver: `redelivery redeliver reschedule_delivery reschedule_your confirm_delivery confirm_your_address
      update_your_address incomplete_address wrong_address adresse_bestatigen neue_zustellung erneute_zustellung
      zustellung_planen reprogrammer nouvelle_livraison confirmer_votre_adresse reprogramar nueva_entrega
      confirmar_su_direccion direccion_incompleta direccion_incorrecta adresse_incomplete incorrect_address
      unvollstandige_adresse hausnummer_fehlt house_number_missing missing_house`,
    tax: `tax taxes irs hmrc vat_refund steuer steuern finanzamt steuerbescheid elster impot impots fiscal fiscale fisc
      dgfip hacienda impuesto impuestos tributaria aeat irpf bundeszentralamt ameli assurance_maladie revenue energy_rebate`,
    refund: `refund refunds rebate reimbursement ruckerstattung erstattung steuererstattung ruckzahlung steuerruckzahlung
      remboursement remboursements rembourser devolucion reembolso reintegro gutschrift`,
    entitled: `eligible entitled owed due_to_you receive claim claimed berechtigt anspruch zusteht zustehen beantragen
      eligible droit beneficier beneficiez beneficiaire percevoir derecho solicitar solicite recibir corresponde
      overpaid overpayment`,
    fine: `fine penalty unpaid_toll toll parking_fine speeding violation ticket bussgeld strafzettel mautgebuhr maut
      amende contravention peage infraction multa infraccion peaje sancion`,
    unpaid: `unpaid outstanding overdue unbezahlt offen offene ausstehend uberfallig impayee impaye impayes non_reglee
      impagada impagado pendiente pendientes vencida`,
    things: `photos videos files pictures memories cloud backup storage icloud data fotos videos dateien daten speicher
      photos fichiers donnees stockage archivos datos almacenamiento nube`,
    token: `securipass certicode secure_key token security_device dispositif dispositif_de_securite appareil_de_confiance
      cle_digitale carte_vitale tan_app sicherheitszertifikat zertifikat certificat certificado clave_digital
      dispositivo_de_seguridad tarjeta_sim sim_karte gesundheitskarte tarjeta_sanitaria photo_tan pushtan phototan
      security_certificate authentication_device`,
    page: `page pages account profile seite profil konto compte pagina cuenta perfil ad_account business_manager channel`,
    violation: `violation violations violated infringement copyright community_standards community_guidelines appeal
      verstoss verstosst urheberrecht widerspruch infraction enfreint droits_d_auteur contester infraccion infringe
      derechos_de_autor apelacion apelar`,
    charged: `charged debited deducted purchase purchased order_of abgebucht belastet bestellung gekauft debite preleve
      achat achete cargado cobrado comprado compra frais_de`,
    notyou: `did_not_make did_not_place did_not_authorize not_authorized did_not_authorise if_this_was_not if_you_did_not
      wenn_sie_nicht nicht_autorisiert nicht_veranlasst si_vous_n_etes n_avez_pas_effectue pas_autorise si_usted_no
      si_no_ha si_no_reconoce no_ha_realizado no_autorizo`,
    stop: `cancel_the cancel_it cancel_this stop_the_payment request_a_refund cancel_order stornieren zahlung_stoppen
      annuler_la annuler_cette annuler_ce cancelar_la cancelar_el cancelar_este dispute`,
    prosecute: `legal_action prosecution court lawsuit bailiff debt_collection seizure arrest inkasso gericht
      pfandung vollstreckung zwangsvollstreckung rechtliche_schritte poursuites huissier saisie tribunal embargo
      acciones_legales juzgado juicio demanda increase surcharge`,
  },
  concepts: {
    account_threat: {
      ...{ points: 10, more: 6, max: 18, fraud: 2, suggestion: CHECK },
      description: 'An account is said to be locked or about to be closed',
    },
    credential_request: {
      ...{ points: 11, more: 5, max: 20, fraud: 2, suggestion: CHECK },
      description: 'The reader is asked to confirm an identity, data or credentials',
    },
    billing_request: {
      ...{ points: 7, more: 0, max: 7, fraud: 1, suggestion: CHECK },
      description: 'The reader is asked to renew means of payment',
    },
    unusual_activity: {
      ...{ points: 4, more: 0, max: 4, fraud: 0, suggestion: 'Say what happened, when and from where' },
      description: 'Unusual activity is spoken of',
    },
    deadline: {
      ...{ points: 6, more: 4, max: 14, fraud: 1 },
      description: 'The reader is pressed for time',
      suggestion: 'Say by when and why instead of pressing',
    },
    generic_greeting: {
      ...{ points: 4, more: 0, max: 4, fraud: 1 },
      description: 'The greeting names nobody',
      suggestion: 'Greet the recipient by name, or leave the greeting out',
    },
    click_here: {
      ...{ points: 1, more: 0, max: 1, fraud: 0 },
      description: 'A link is called "click here"',
      suggestion: 'Let the words of the link say where it goes',
    },
    storage_threat: {
      ...{ points: 18, more: 8, max: 34, fraud: 2, suggestion: CHECK },
      description: 'Photos or files are said to be deleted unless the reader pays or signs in',
    },
    false_charge: {
      ...{ points: 15, more: 6, max: 21, fraud: 2 },
      description: 'A charge that the reader is to stop',
      suggestion: 'Lead to the order on your site; name what was bought and by whom',
    },
    mailbox_warning: {
      ...{ points: 13, more: 14, max: 40, fraud: 2, suggestion: CHECK },
      description: 'A mailbox is said to be full, its password to expire, or messages to be held',
    },
    parcel_fee: {
      ...{ points: 18, more: 10, max: 32, fraud: 2 },
      description: 'A parcel is said to wait for a payment or for data',
      suggestion: 'Take fees at check-out or at the door, and name the order that the parcel belongs to',
    },
    refund_bait: {
      ...{ points: 18, more: 8, max: 26, fraud: 2 },
      description: 'A refund of an authority is promised',
      suggestion: 'Say which claim or order the refund belongs to; authorities do not refund by mail',
    },
    fine_threat: {
      ...{ points: 22, more: 12, max: 40, fraud: 2 },
      description: 'A fine or a debt is threatened with',
      suggestion: 'Name the matter and its number, and leave the threat to the letter',
    },
  },
  patterns: [
    { concept: 'account_threat', sets: ['token', 'expiry'], gap: 8, unless: 'never' },
    { concept: 'account_threat', sets: ['token', 'suspend'], gap: 20, unless: 'never' },
    { concept: 'account_threat', sets: ['page', 'violation', 'closing'], gap: 30, unless: 'never' },
    { concept: 'account_threat', sets: ['page', 'violation', 'suspend'], gap: 30, unless: 'never' },
    { concept: 'storage_threat', sets: ['things', 'closing', 'billing'], gap: 30, unless: 'never' },
    { concept: 'storage_threat', sets: ['things', 'closing', 'today'], gap: 16, unless: 'never' },
    { concept: 'storage_threat', sets: ['things', 'full', 'closing'], gap: 40, unless: 'never' },
    { concept: 'storage_threat', sets: ['things', 'full', 'permanently'], gap: 30, unless: 'never' },
    { concept: 'billing_request', sets: ['failed', 'billing', 'suspend'], gap: 40, unless: 'never' },
    { concept: 'false_charge', sets: ['charged', 'notyou', 'stop'], gap: 60, unless: 'never' },
    { concept: 'false_charge', sets: ['#money', 'notyou', 'stop'], gap: 40, unless: 'never' },
    { concept: 'fine_threat', sets: ['fine', 'unpaid'], gap: 12, unless: 'never' },
    { concept: 'fine_threat', sets: ['fine', 'prosecute'], gap: 40, unless: 'never' },
    { concept: 'account_threat', sets: ['account', 'suspend'], gap: 6, unless: 'never' },
    { concept: 'account_threat', sets: ['account', 'closing', 'permanently'], gap: 8, unless: 'never' },
    { concept: 'credential_request', sets: ['verify', 'secret'], gap: 6, unless: 'never' },
    { concept: 'credential_request', sets: ['verify', 'account', 'within'], gap: 12, unless: 'never' },
    { concept: 'credential_request', sets: ['verify', 'account', 'suspend'], gap: 14, unless: 'never' },
    { concept: 'credential_request', sets: ['verify', 'account', 'urgent'], gap: 10, unless: 'never' },
    { concept: 'billing_request', sets: ['verify', 'billing'], gap: 5, unless: 'never' },
    { concept: 'unusual_activity', sets: ['unusual', 'activity'], gap: 5, unless: 'never' },
    { concept: 'deadline', sets: ['within', '#number', 'hours'], gap: 4 },
    { concept: 'deadline', sets: ['urgent'], gap: 0 },
    { concept: 'deadline', sets: ['final'], gap: 0 },
    { concept: 'generic_greeting', sets: ['dear'], gap: 0 },
    { concept: 'click_here', sets: ['click'], gap: 0 },
    { concept: 'mailbox_warning', sets: ['mailbox', 'full'], gap: 7, unless: 'never' },
    { concept: 'mailbox_warning', sets: ['keep', 'same', 'passwords'], gap: 5 },
    { concept: 'mailbox_warning', sets: ['held', 'messages', 'release'], gap: 16 },
    { concept: 'mailbox_warning', sets: ['held', 'messages', 'release', 'closing'], gap: 40 },
    { concept: 'mailbox_warning', sets: ['passwords', 'expiry', 'today'], gap: 8 },
    { concept: 'mailbox_warning', sets: ['passwords', 'expiry', 'within'], gap: 8 },
    { concept: 'mailbox_warning', sets: ['passwords', 'expiry', 'keep'], gap: 20 },
    { concept: 'parcel_fee', sets: ['parcel', 'fee', 'stuck'], gap: 24, unless: 'never' },
    { concept: 'parcel_fee', sets: ['parcel', 'fee', 'pay'], gap: 16, unless: 'never' },
    { concept: 'parcel_fee', sets: ['parcel', 'redeliver', 'stuck'], gap: 24, unless: 'never' },
    { concept: 'parcel_fee', sets: ['parcel', 'redeliver', 'fee'], gap: FAR, unless: 'never' },
    { concept: 'refund_bait', sets: ['tax', 'refund'], gap: 8, unless: 'never' },
    { concept: 'refund_bait', sets: ['refund', 'entitled', 'within'], gap: 20, unless: 'never' },
    { concept: 'refund_bait', sets: ['tax', 'refund', 'entitled'], gap: 24, unless: 'never' },
    { concept: 'fine_threat', sets: ['fine', 'unpaid', 'pay'], gap: 24, unless: 'never' },
    {
      concept: 'fine_threat',
      sets: ['unpaid', 'prosecute', 'pay'],
      gap: 30,
      unless: 'never',
      unlessStated: '#crossed',
    },
  ],
}

export const SUGGEST = { CHECK, DROP } as const
