// The first set-up: the person with the token printed by the console becomes the operator and is signed in.

import { Type } from 'typebox'
import { parseAddress } from '../../mail/address.ts'
import { validationError } from '../../platform/errors.ts'
import { type Answer, type AnyEndpoint, endpoint, exampleBody, named, ONE_LINE } from '../../platform/http.ts'
import type { OperatorContext } from './accounts.ts'
import { errors } from './errors.ts'
import { setUp } from './operators.ts'
import { MAX_EMAIL_CHARS, Password } from './schemas.ts'
import type { Sessions } from './sessions.ts'

export interface SetupRoutesOptions extends OperatorContext {
  readonly sessions: Sessions
}

export function setupRoutes(options: SetupRoutesOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/setup',
      access: null,
      operationId: 'setUpInstallation',
      summary: 'Create the first operator with the token printed on the console',
      tag: 'Dashboard',
      examples: exampleBody(
        {
          token: 'ey3hzTGOUe1FMAuFW4O4hYSUdHZ0ErpOgQl04CvoB3k',
          email: 'ann@shop.example',
          password: 'a long pass phrase',
          name: 'Shop',
        },
        'The token that the first start prints',
      ),
      body: named(
        'SetUpRequest',
        Type.Object(
          {
            token: Type.String({ minLength: 43, maxLength: 43, pattern: '^[A-Za-z0-9_-]*$' }),
            email: Type.String({ minLength: 3, maxLength: MAX_EMAIL_CHARS }),
            password: Password,
            name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE })),
          },
          { additionalProperties: false },
        ),
      ),
      answers: { 204: Type.Null() },
      errors: [errors.invalid_token, errors.cross_site_request],
      handle: async (call): Promise<Answer> => {
        if (!options.sessions.isFromOurPages(call.method, call.headers)) throw errors.cross_site_request()
        const { token, email, password, name = null } = call.body
        if (!parseAddress(email).ok)
          throw validationError([{ field: 'email', rule: 'email', message: 'is no email address' }])
        await setUp(options, { token, email, password, name })
        const agent = call.headers['user-agent'] ?? ''
        const signedIn = await options.sessions.signIn({ email, password, code: null, ip: call.ip, agent })
        const cookie = options.sessions.cookieOf(signedIn.token)
        return { status: 204, body: undefined, headers: { 'cache-control': 'no-store', 'set-cookie': cookie } }
      },
    }),
  ]
}
