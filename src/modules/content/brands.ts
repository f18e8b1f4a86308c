// Names that fraud speaks in. A brand's own sites are those whose registered name is the brand's, under any top-level
// domain, and the further names given. `words` are how a text names it, as in a set of the lexicon.

export interface Brand {
  readonly name: string
  /** Labels of registered domains that are its own. The first is also looked for in the hosts of others. */
  readonly labels: readonly string[]
  readonly words: string
  /** A group of houses, each with a site of its own that bears the group’s name: `sparkasse-musterstadt`. */
  readonly group?: boolean
  /** A word, a place or a family’s name: others bear it as well, as in `booking.hotel.example` and `nortonmotorcycles.example`. */
  readonly isWord?: boolean
  /** An authority that everybody speaks of: it is spoken for only in the subject or beside a team or a service. */
  readonly isTopic?: boolean
}

const brand = (name: string, words = name, ...more: string[]): Brand => ({ name, labels: [name, ...more], words })
const word = (...parts: Parameters<typeof brand>): Brand => ({ ...brand(...parts), isWord: true })

export const BRANDS: readonly Brand[] = [
  brand('paypal', 'paypal', 'paypal-communication', 'paypal-notify', 'paypal-mktg', 'paypalobjects'),
  brand('netflix', 'netflix', 'netflixstudios'),
  brand('spotify', 'spotify', 'spotifycdn'),
  brand('disneyplus', 'disney_plus', 'disney'),
  brand(
    'amazon',
    'amazon amazon_prime',
    'amazonses',
    'amazonaws',
    'amazonmusic',
    'amazonpay',
    'images-amazon',
    'media-amazon',
    'ssl-images-amazon',
  ),
  brand('ebay', 'ebay', 'ebay-kleinanzeigen'),
  brand('kleinanzeigen', 'kleinanzeigen', 'ebay-kleinanzeigen'),
  word('apple', 'apple_id icloud itunes', 'icloud', 'itunes'),
  brand('icloud', 'icloud', 'apple', 'icloud-content'),
  brand(
    'microsoft',
    'microsoft office_365 office365 microsoft_365 outlook onedrive',
    'office',
    'office365',
    'live',
    'outlook',
    'microsoftonline',
    'microsoft365',
    'microsoftstore',
    'sharepoint',
    'azure',
  ),
  brand(
    'google',
    'google gmail google_drive',
    'gmail',
    'youtube',
    'goo',
    'android',
    'withgoogle',
    'googleapis',
    'googleblog',
    'googlegroups',
    'googlesource',
    'googletagmanager',
    'googleusercontent',
  ),
  brand('facebook', 'facebook meta_business', 'facebookmail', 'facebookbrand', 'meta', 'fb'),
  brand('instagram', 'instagram', 'facebook', 'meta'),
  brand('whatsapp', 'whatsapp', 'meta', 'facebook'),
  brand('linkedin', 'linkedin', 'linkedin-ei', 'linkedinlabs'),
  brand('docusign', 'docusign', 'docusign'),
  brand('dropbox', 'dropbox', 'dropboxmail', 'dropboxusercontent'),
  word('adobe', 'adobe', 'adobesign', 'echosign'),
  brand('wetransfer'),
  brand('dhl', 'dhl', 'dhl-news', 'dhlecommerce'),
  word(
    'ups',
    'ups_express ups_delivery ups_package ups_parcel ups_team ups_paket ups_colis ups_envio',
    'upsemail',
    'ups-mi',
  ),
  brand('usps', 'usps'),
  brand('fedex', 'fedex'),
  brand('dpd', 'dpd', 'dpdgroup', 'dpdlocal'),
  word('hermes', 'hermes_paket hermes_bote evri', 'myhermes', 'hermesworld', 'evri'),
  brand('royalmail', 'royal_mail', 'royalmailgroup'),
  word('correos', 'correos'),
  brand('laposte', 'la_poste colissimo chronopost', 'colissimo', 'chronopost', 'laposte'),
  brand('colissimo', 'colissimo', 'laposte'),
  brand('chronopost', 'chronopost', 'laposte'),
  brand('mondialrelay', 'mondial_relay'),
  { ...brand('sparkasse', 'sparkasse sparkassen', 's-pushtan'), group: true },
  { ...brand('volksbank', 'volksbank volksbanken', 'vr', 'volksbanken-raiffeisenbanken'), group: true },
  brand('commerzbank'),
  brand('postbank', 'postbank', 'deutsche-bank'),
  brand('deutschebank', 'deutsche_bank', 'deutsche-bank', 'db'),
  brand('n26'),
  brand('creditagricole', 'credit_agricole', 'credit-agricole', 'ca'),
  brand('bnpparibas', 'bnp_paribas', 'bnpparibas', 'mabanque'),
  brand('societegenerale', 'societe_generale', 'socgen'),
  brand('labanquepostale', 'banque_postale', 'laposte'),
  brand('caixabank', 'caixabank la_caixa', 'lacaixa'),
  brand('bbva'),
  word('santander', 'santander', 'bancosantander', 'santanderconsumer'),
  brand('bankinter'),
  word('sabadell', 'sabadell', 'bancsabadell'),
  brand('hsbc'),
  brand('barclays', 'barclays', 'barclaycard'),
  word('lloyds', 'lloyds', 'lloydsbank'),
  brand('natwest'),
  brand('wellsfargo', 'wells_fargo', 'wellsfargoadvisors', 'wellsfargomedia'),
  brand('bankofamerica', 'bank_of_america', 'bofa'),
  brand('citibank', 'citibank', 'citi'),
  word('chase', 'chase_bank chase_online'),
  brand('americanexpress', 'american_express amex', 'amex', 'aexp'),
  brand('mastercard'),
  word('revolut'),
  brand('coinbase'),
  brand('binance'),
  brand('metamask', 'metamask'),
  word('ledger', 'ledger_live ledger_wallet ledger_nano'),
  brand('trezor'),
  word('ameli', 'ameli carte_vitale assurance_maladie', 'ameli'),
  { ...word('impots', 'impots_gouv dgfip', 'gouv'), isTopic: true },
  word('antai', 'antai', 'gouv'),
  { ...brand('aeat', 'agencia_tributaria aeat', 'agenciatributaria'), isTopic: true },
  { ...word('elster', 'elster finanzamt'), isTopic: true },
  { ...brand('hmrc', 'hmrc', 'gov'), isTopic: true },
  { ...brand('irs', 'irs'), isTopic: true },
  word('norton', 'norton', 'nortonlifelock'),
  brand('mcafee', 'mcafee'),
  word('orange', 'orange_mail', 'orange-business'),
  word('telekom', 'telekom', 't-online'),
  brand('vodafone', 'vodafone'),
  word('booking', 'booking_com', 'bookingholdings'),
  brand('airbnb', 'airbnb', 'airbnbmail'),
  word('steam', 'steam_account steam_guard', 'steampowered', 'steamcommunity'),
  brand('roblox'),
]

/** Brands by each label that is looked for in the hosts of others. */
export const BRAND_OF_LABEL: ReadonlyMap<string, Brand> = new Map(BRANDS.map((one) => [one.labels[0] ?? one.name, one]))
