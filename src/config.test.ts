// A setting that cannot be read stops the start with its name and the reason; the others are read as documented.

import assert from 'node:assert/strict'
import test from 'node:test'
import { firstDays, ROLES, readConfig, SETTINGS } from './config.ts'

const WRONG: readonly (readonly [name: string, text: string, why: RegExp])[] = [
  ['DATABASE_URL', 'mysql://root:s3cret@db/x', /must begin with postgresql:\/\/$/],
  ['DATABASE_URL', 'postgresql://posthorn:12#s3cret@db/x', /in a user name or password it is written %23$/],
  [
    'DATABASE_URL',
    'postgresql://posthorn:s3cret@db/x?sslmode=verify_full',
    /sslmode is not one of disable, .*verify-full/,
  ],
  [
    'DATABASE_URL',
    'postgresql://posthorn:s3cret@db/x?sslrootcert=/nowhere/ca.pem',
    /no such file.*'\/nowhere\/ca.pem'/,
  ],
  ['DATABASE_URL', 'postgresql://posthorn:s3cret@one:5432,two:99999/x', /Invalid URL$/],
  ['POSTHORN_DATA_DIR', '"/var/lib/posthorn"', /must be a path, without quotes and without ~$/],
  ['POSTHORN_DATA_DIR', '~/posthorn', /~\/posthorn must be a path/],
  ['POSTHORN_BIND', 'every where', /"every where" is not a host name/],
  ['POSTHORN_HTTP_HOST', '999.1.1.1', /"999.1.1.1" is not a host name/],
  ['POSTHORN_HTTP_PORT', '70000', /"70000" is not a port number/],
  ['POSTHORN_HTTPS_PORT', '-1', /is not a port/],
  ['POSTHORN_PUBLIC_URL', 'ftp://x', /not an http or https URL/],
  ['POSTHORN_PUBLIC_URL', 'https://x/?a=1', /must not contain .* a query/],
  ['POSTHORN_PUBLIC_URL', 'https://x/#a', /must not contain .* a fragment/],
  ['POSTHORN_PUBLIC_URL', 'https://u:s3cr@x/', /must not contain a user name/],
  ['POSTHORN_PUBLIC_URL', 'https://:s3cr@x/', /must not contain a user name, a password/],
  ['POSTHORN_EU_URL', 'eu', /not an http or https URL/],
  ['POSTHORN_TLS_CERT_FILE', 'a.crt', /needs POSTHORN_TLS_KEY_FILE/],
  ['POSTHORN_TLS_KEY_FILE', 'a.key', /needs POSTHORN_TLS_CERT_FILE/],
  ['POSTHORN_SUBMISSION_PORT', '25,x', /"x" is not a port number/],
  ['POSTHORN_SUBMISSION_TLS_PORT', ',', /contains no port number/],
  ['POSTHORN_MX_PORT', 'x', /is not a port/],
  ['POSTHORN_HOSTNAME', 'my_host..example', /is not a host name/],
  ['POSTHORN_SPF_MECHANISM', 'what is this', /is not an SPF mechanism/],
  ['POSTHORN_SPF_MECHANISM', 'all', /"all" matches every host/],
  ['POSTHORN_SPF_MECHANISM', '-all', /"-all" matches every host/],
  ['POSTHORN_SPF_MECHANISM', '?a:mail.example', /"\?a:mail.example" does not pass mail/],
  ['POSTHORN_DELIVERY', 'relay', /not one of sandbox, direct, relay:host:port/],
  ['POSTHORN_DELIVERY', 'relay:host:99999', /"99999" is not a port number/],
  ['POSTHORN_DELIVERY', 'relay:ho st:25', /"ho st" is not a host name/],
  ['POSTHORN_DELIVERY', 'relay:a..b:25', /"a..b" is not a host name/],
  ['POSTHORN_DELIVERY', 'relay:192.0.2.256:25', /"192.0.2.256" is not a host name/],
  ['POSTHORN_DELIVERY', 'relay:[192.0.2.1]:25', /"192.0.2.1" is not an IPv6 address/],
  ['POSTHORN_DELIVERY', 'relay:2001:db8::1:25', /relay:\[IPv6 address\]:port/],
  ['POSTHORN_DELIVERY', 'relay:host:0', /"0" is not a port number \(1-65535\)/],
  ['POSTHORN_DKIM_DOMAIN', 'https://x', /not a host name/],
  ['POSTHORN_DKIM_DOMAIN', '192.0.2.1', /"192.0.2.1" is not a domain/],
  ['POSTHORN_DKIM_DOMAIN', 'localhost', /"localhost" is not a domain/],
  ['POSTHORN_RELAY_USER', 'somebody', /needs POSTHORN_RELAY_PASSWORD/],
  ['POSTHORN_RELAY_PASSWORD', 's3cret', /needs POSTHORN_RELAY_USER$/],
  ['POSTHORN_RELAY_TLS', 'on', /not one of off, starttls, implicit/],
  ['POSTHORN_SMTP_PORT', '0x19', /is not a port number/],
  ['POSTHORN_SMTP_PORT', '0', /is not a port number \(1-65535\)/],
  ['POSTHORN_SOURCE_IPS', '192.0.2.1,192.0.2', /"192.0.2" is not an IP address/],
  ['POSTHORN_BULK_SOURCE_IPS', 'x', /is not an IP address/],
  ['POSTHORN_WARM_UP_IPS', '192.0.2.8', /"192.0.2.8" is not an address and its first day, such as/],
  ['POSTHORN_WARM_UP_IPS', '192.0.2.8=2026-02-30', /is not an address and its first day/],
  ['POSTHORN_WARM_UP_IPS', '192.0.2=2026-12-01', /is not an address and its first day/],
  ['POSTHORN_WARM_UP_IPS', '192.0.2.8=2026-12-01=30', /is not an address and its first day/],
  ['POSTHORN_WARM_UP_IPS', '192.0.2.8=2026-12-01', /has 192.0.2.8, which is in no list of source addresses$/],
  ['POSTHORN_BULK_SOURCE_IPS', '192.0.2.1', /needs POSTHORN_SOURCE_IPS$/],
  ['POSTHORN_DNS_SERVERS', 'dns.example:53', /"dns.example:53" is not a server address/],
  ['POSTHORN_DNS_SERVERS', '192.0.2.53:99999', /"99999" is not a port number/],
  ['POSTHORN_DNS_SERVERS', '192.0.2.53:0', /"0" is not a port number \(1-65535\)/],
  ['POSTHORN_DNSSEC_SERVERS', 'x:y', /is not a server address/],
  ['POSTHORN_SECRET_KEY', 'short', /at least 32 characters/],
  ['POSTHORN_SECRET_KEY', `"${'s3cret'.repeat(8)}"`, /must not be in quotes$/],
  ['POSTHORN_ACME_DIRECTORY', 'acme', /not an http or https URL/],
  ['POSTHORN_ACME_CA_FILE', '/there/is/none.pem', /there is no file/],
  ['POSTHORN_ACME_CA_FILE', import.meta.filename, /is not a PEM certificate/],
  ['POSTHORN_ALLOW_PRIVATE_NETWORKS', 'yes', /not one of true, false/],
  ['POSTHORN_TRUSTED_PROXIES', '10.0.0.0/99', /is not a network/],
  ['POSTHORN_TRUSTED_PROXIES', '10.0.0.0/0', /"10.0.0.0\/0" covers too many addresses/],
  ['POSTHORN_TRUSTED_PROXIES', '192.0.2.1,::/0', /"::\/0" covers too many addresses/],
  ['POSTHORN_TRUSTED_PROXIES', '::ffff:0.0.0.0/96', /covers too many addresses/],
  ['POSTHORN_TRUSTED_PROXIES', '128.0.0.0/1,0.0.0.0/1', /"128.0.0.0\/1" covers too many addresses/],
  ['POSTHORN_TRUSTED_PROXIES', '2000::/3', /"2000::\/3" covers too many addresses/],
  ['POSTHORN_TRUSTED_PROXIES', '::ffff:0.0.0.0/97', /covers too many addresses/],
  ['POSTHORN_TRUSTED_PROXIES', 'fe80::1%eth0/64', /is not a network/],
  ['POSTHORN_RATE_LIMITS', 'no', /not one of on, off/],
  ['POSTHORN_VALIDATION_PROBES', '0', /not one of on, off/],
  ['POSTHORN_VALIDATION_SOURCE_IPS', 'x', /is not an IP address/],
  ['POSTHORN_OPERATOR_EMAIL', 'the operator', /is not an email address/],
  ['POSTHORN_SYSTEM_FROM', 'nobody', /is not an email address/],
  ['POSTHORN_ROLES', 'api,cook', /"cook" is not one of api, tracking/],
  ['POSTHORN_ROLES', ',', /contains no role/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'x', /not an http or https URL/],
  ['OTEL_TRACES_SAMPLER_ARG', '2', /not a number from 0 to 1/],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.1', /not a number from 0 to 1/],
  ['POSTHORN_SUBMISSION_PORT', '587,2587,587', /contains 587 twice/],
  ['POSTHORN_SUBMISSION_TLS_PORT', '465,0465', /contains 465 twice/],
  ['POSTHORN_LOG_LEVEL', 'loud', /not one of error, warn, info, debug, silent/],
]

/** Settings with any text; what they name is read at its first use, and the start reports errors. */
const FREE = ['POSTHORN_PLANS_FILE', 'POSTHORN_METRICS_TOKEN', 'POSTHORN_API_KEY']

test('every setting refuses invalid values, with its name and the reason', () => {
  for (const [name, text, why] of WRONG) {
    assert.throws(
      () => readConfig({ [name]: text }),
      ({ message }: Error) => message.includes(name) && why.test(message) && !message.includes('s3cret'),
      `${name}=${text}`,
    )
  }
  const tried = new Set([...WRONG.map(([name]) => name), ...FREE])
  assert.deepEqual(
    Object.values(SETTINGS).flatMap(({ name }) => (tried.has(name) ? [] : [name])),
    [],
  )
})

test('an address for both kinds of mail is reported, in any of its spellings', () => {
  const read = (POSTHORN_SOURCE_IPS: string, POSTHORN_BULK_SOURCE_IPS: string): unknown =>
    readConfig({ POSTHORN_SOURCE_IPS, POSTHORN_BULK_SOURCE_IPS })
  assert.throws(
    () => read('192.0.2.1,2001:db8::1', '192.0.2.2,2001:DB8:0::1'),
    /POSTHORN_SOURCE_IPS and POSTHORN_BULK_SOURCE_IPS both have 2001:db8::1$/,
  )
  read('192.0.2.1', '192.0.2.2')
})

test('a new address needs another of its family in its list, and is found in any of its spellings', () => {
  const read = (POSTHORN_SOURCE_IPS: string, POSTHORN_WARM_UP_IPS: string) =>
    readConfig({ POSTHORN_SOURCE_IPS, POSTHORN_WARM_UP_IPS })
  assert.throws(
    () => read('192.0.2.1,2001:db8::1', '2001:db8::1=2026-12-01'),
    /POSTHORN_SOURCE_IPS has no IPv6 address but new ones \(POSTHORN_WARM_UP_IPS\)/,
  )
  assert.throws(() => read('192.0.2.1,2001:db8::1', '192.0.2.1=2026-12-01'), /POSTHORN_SOURCE_IPS has no IPv4 address/)
  const config = read('192.0.2.1,2001:DB8:0::1,2001:db8::2', '2001:db8::1 = 2026-12-01')
  assert.deepEqual([...firstDays(config)], [['2001:DB8:0::1', '2026-12-01']])
  const lists = { POSTHORN_SOURCE_IPS: '192.0.2.1', POSTHORN_BULK_SOURCE_IPS: '192.0.2.2,192.0.2.3' }
  const bulk = readConfig({ ...lists, POSTHORN_WARM_UP_IPS: '192.0.2.3=2026-12-01' })
  assert.deepEqual([...firstDays(bulk)], [['192.0.2.3', '2026-12-01']])
})

test('two listeners at one port are reported by both settings, unless one does not run or has another address', () => {
  const cases: readonly (readonly [Record<string, string>, RegExp | null])[] = [
    [
      { POSTHORN_HTTP_PORT: '31000', POSTHORN_HTTPS_PORT: '31000' },
      /POSTHORN_HTTP_PORT and POSTHORN_HTTPS_PORT are both 31000/,
    ],
    [{ POSTHORN_MX_PORT: '2587' }, /POSTHORN_SUBMISSION_PORT and POSTHORN_MX_PORT are both 2587/],
    [
      { POSTHORN_SUBMISSION_TLS_PORT: '465,2587' },
      /POSTHORN_SUBMISSION_PORT and POSTHORN_SUBMISSION_TLS_PORT are both 2587/,
    ],
    [{ POSTHORN_MX_PORT: '8080', POSTHORN_HTTP_HOST: '0.0.0.0' }, /POSTHORN_HTTP_PORT and POSTHORN_MX_PORT are both/],
    [{ POSTHORN_MX_PORT: '8080', POSTHORN_BIND: '::', POSTHORN_HTTP_HOST: '127.0.0.1' }, /are both 8080/],
    [{ POSTHORN_MX_PORT: '8080', POSTHORN_BIND: '::1', POSTHORN_HTTP_HOST: '0.0.0.0' }, null],
    [{ POSTHORN_MX_PORT: '2587', POSTHORN_ROLES: 'mx' }, null],
    [{ POSTHORN_HTTPS_PORT: '2525', POSTHORN_ROLES: 'mx' }, null],
    [{ POSTHORN_MX_PORT: '2465', POSTHORN_ROLES: 'submission' }, null],
    [{ POSTHORN_SUBMISSION_TLS_PORT: '2525', POSTHORN_ROLES: 'mx' }, null],
    [{ POSTHORN_HTTP_PORT: '2525', POSTHORN_ROLES: 'mx,delivery' }, null],
    [{ POSTHORN_MX_PORT: '8080', POSTHORN_HTTP_HOST: '127.0.0.2' }, null],
    [{ POSTHORN_MX_PORT: '0', POSTHORN_SUBMISSION_PORT: '0,0' }, null],
  ]
  for (const [settings, said] of cases) {
    if (said === null) readConfig(settings)
    else assert.throws(() => readConfig(settings), said)
  }
})

test('a certificate authority is asked over TLS or on this machine', () => {
  for (const acmeDirectory of [
    'https://ca.example/directory',
    'http://127.0.0.1:14000/dir',
    'http://localhost/dir',
    null,
  ])
    assert.equal(readConfig({ POSTHORN_ACME_DIRECTORY: acmeDirectory ?? '' }).acmeDirectory, acmeDirectory)
  for (const directory of ['http://ca.example/directory', 'http://localhost.example/', 'http://127.0.0.1.example/'])
    assert.throws(
      () => readConfig({ POSTHORN_ACME_DIRECTORY: directory }),
      /POSTHORN_ACME_DIRECTORY: .* is not an https URL/,
    )
})

test('all invalid settings are reported at once', () => {
  assert.throws(
    () => readConfig({ POSTHORN_MX_PORT: 'x', POSTHORN_ROLES: 'y' }),
    /POSTHORN_MX_PORT: .*\n +POSTHORN_ROLES: /,
  )
})

test('the values in the contract are read as it says', () => {
  const config = readConfig({
    DATABASE_URL: 'postgresql://u:p@one,two:5433/posthorn',
    POSTHORN_BIND: '::',
    POSTHORN_HTTP_HOST: 'localhost',
    POSTHORN_PUBLIC_URL: 'https://mail.example.com/',
    POSTHORN_HOSTNAME: 'Mail.Example.com',
    POSTHORN_DELIVERY: 'relay:[2001:db8::1]:2525',
    POSTHORN_SUBMISSION_PORT: '587, 2587',
    POSTHORN_SOURCE_IPS: '192.0.2.1, 2001:db8::1',
    POSTHORN_DNS_SERVERS: '127.0.0.1:5353,[::1]:53,::1,192.0.2.53,localhost:54',
    POSTHORN_TRUSTED_PROXIES: '10.0.0.0/8,192.0.2.7,2001:db8::/32,fc00::/7,::ffff:10.0.0.0/104',
    POSTHORN_OPERATOR_EMAIL: 'root@localhost',
    POSTHORN_ROLES: 'api, worker',
    POSTHORN_SPF_MECHANISM: 'include:_spf.example.com',
    POSTHORN_RATE_LIMITS: 'off',
    POSTHORN_ALLOW_PRIVATE_NETWORKS: '1',
    POSTHORN_SYSTEM_FROM: 'notices@example.com',
    POSTHORN_DKIM_DOMAIN: 'Example.com',
    POSTHORN_VALIDATION_PROBES: 'off',
    POSTHORN_VALIDATION_SOURCE_IPS: '192.0.2.9',
    POSTHORN_SECRET_KEY: 's'.repeat(32),
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  assert.equal(config.bind, '::')
  assert.equal(config.httpHost, 'localhost')
  assert.equal(config.publicUrl, 'https://mail.example.com')
  assert.equal(config.hostname, 'mail.example.com')
  assert.equal(config.spfMechanism, 'include:_spf.example.com')
  assert.equal(config.systemFrom, 'notices@example.com')
  assert.equal(config.dkimDomain, 'example.com')
  assert.equal(config.validationProbes, false)
  assert.deepEqual(config.validationSourceIps, ['192.0.2.9'])
  assert.deepEqual(readConfig({ POSTHORN_SOURCE_IPS: '192.0.2.1' }).validationSourceIps, ['192.0.2.1'])
  assert.equal(config.tracesShare, 0)
  assert.deepEqual(config.delivery, { kind: 'relay', host: '2001:db8::1', port: 2525 })
  assert.deepEqual(config.submissionPorts, [587, 2587])
  assert.deepEqual(config.dnsServers, ['127.0.0.1:5353', '[::1]:53', '::1', '192.0.2.53', '127.0.0.1:54'])
  assert.deepEqual(config.roles, ['api', 'worker'])
  assert.deepEqual(readConfig({ POSTHORN_ROLES: 'all' }).roles, ROLES)
  assert.equal(config.rateLimits, false)
  assert.equal(config.allowPrivateNetworks, true)
})

test('a public URL is read in the form that browsers send, however it is written', () => {
  const read = (POSTHORN_PUBLIC_URL: string): string => readConfig({ POSTHORN_PUBLIC_URL }).publicUrl
  assert.equal(read('HTTPS://Mail.Example.COM/'), 'https://mail.example.com')
  assert.equal(read('https://mail.example.com:443'), 'https://mail.example.com')
  assert.equal(read('https://example.com:8443/Mail/'), 'https://example.com:8443/Mail')
  assert.equal(read('https://büro.example'), 'https://xn--bro-hoa.example')
})

test('without a public URL, links lead where HTTP listens', () => {
  const at = (settings: Record<string, string>): string => readConfig(settings).publicUrl
  assert.equal(at({ POSTHORN_BIND: '::1', POSTHORN_HTTP_PORT: '8081' }), 'http://[::1]:8081')
  assert.equal(at({ POSTHORN_BIND: '0.0.0.0', POSTHORN_HTTP_HOST: '192.0.2.1' }), 'http://192.0.2.1:8080')
  assert.equal(at({ POSTHORN_HTTP_HOST: 'localhost' }), 'http://localhost:8080')
  assert.equal(at({ POSTHORN_BIND: '0.0.0.0' }), 'http://127.0.0.1:8080')
  assert.equal(at({ POSTHORN_BIND: '::' }), 'http://127.0.0.1:8080')
})

test('a relay is named by an IP address, or by a name from DNS, a container or a hosts file', () => {
  const hosts = ['192.0.2.1', 'smtp.example.com', 'localhost', 'mail_relay', '_smtp.mail-1.example']
  for (const host of hosts) {
    assert.deepEqual(readConfig({ POSTHORN_DELIVERY: `relay:${host}:587` }).delivery, {
      kind: 'relay',
      host,
      port: 587,
    })
  }
  const absolute = readConfig({ POSTHORN_DELIVERY: 'relay:smtp.example.com.:25' }).delivery
  assert.deepEqual(absolute, { kind: 'relay', host: 'smtp.example.com', port: 25 })
})

test('an empty setting counts as unset: the defaults are those of the contract', () => {
  const names = Object.values(SETTINGS).map(({ name }) => [name, ' '])
  const config = readConfig(Object.fromEntries(names))
  assert.deepEqual(config, readConfig({}))
  assert.equal(config.bind, '127.0.0.1')
  assert.equal(config.publicUrl, 'http://127.0.0.1:8080')
  assert.deepEqual(config.submissionPorts, [2587])
  assert.deepEqual(config.submissionTlsPorts, [2465])
  assert.equal(config.mxPort, 2525)
  assert.equal(config.smtpPort, 25)
  assert.equal(config.spfMechanism, 'a:localhost')
  assert.equal(config.systemFrom, 'posthorn@localhost')
  assert.deepEqual(config.delivery, { kind: 'sandbox' })
  assert.equal(config.relayTls, 'offered')
  assert.equal(config.databaseUrl, null)
  assert.equal(config.httpsPort, null)
})
