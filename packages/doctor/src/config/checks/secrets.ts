/** Check: secrets are neither variables nor under version control, and long enough. */

import { quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import type { Check, ProjectObservations } from '../project-observations.ts'

/** `durable-objects/keyring/environment-keys.ts` refuses a shorter one. */
const MIN_SECRET_CHARACTERS = 32

const SECRET_NAME = /(?:^|_)(?:SECRET|PASSPHRASE|PASSWORD|PRIVATE_KEY)$/

const isSecret = ([name, value]: readonly [string, unknown]) =>
  SECRET_NAME.test(name) && typeof value === 'string' && value !== ''

export const secretVariables: Check = ({ config }) => {
  const names = Object.entries(config.vars)
    .filter(isSecret)
    .map(([name]) => quoted(name))
  if (names.length === 0) return []
  return [detected('secret-in-configuration', `vars has ${names.join(', ')}`)]
}

/** The files belong to the project, not to an environment. */
export function secretFileFaults({ secretFiles }: ProjectObservations): readonly Detected[] {
  return secretFiles.flatMap(({ name, values, isShared }) => {
    const faults: Detected[] = []
    const secrets = [...values].filter(isSecret).map(([secret]) => quoted(secret))
    if (isShared && secrets.length > 0) {
      faults.push(detected('secret-checked-in', `${quoted(name)} has ${secrets.join(', ')}`))
    }
    const given = values.get('EDGEWAY_SECRET')?.split(/\s+/) ?? []
    const short = given.find(({ length }) => length > 0 && length < MIN_SECRET_CHARACTERS)
    if (short !== undefined) {
      const text = `That of ${quoted(name)} has ${short.length} characters`
      faults.push(detected('secret-too-short', text))
    }
    return faults
  })
}
