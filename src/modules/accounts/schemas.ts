// What several of this module's endpoints take: addresses, passwords, roles.

import { Type } from 'typebox'
import { named } from '../../platform/http.ts'
import { ROLES } from './sql-users.ts'

export const MAX_EMAIL_CHARS = 320
export const MAX_PASSWORD_CHARS = 256
const MIN_PASSWORD_CHARS = 12

export const Password = Type.String({ minLength: MIN_PASSWORD_CHARS, maxLength: MAX_PASSWORD_CHARS })
export const RoleName = named('Role', Type.Enum([...ROLES]))
