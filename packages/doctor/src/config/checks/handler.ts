/** Check: the main module has a handler of requests. */

import { quoted } from '../../../../text/src/quoted.ts'
import { detected } from '../../doctor/detected.ts'
import type { Check } from '../project-observations.ts'
import { ownBindings } from './objects.ts'

export const handler: Check = (environment, { worker }) => {
  if (worker === undefined || worker.apps.length === 0 || worker.hasHandler !== false) return []
  const classes = ownBindings(environment).map(({ class_name }) => class_name)
  const isObject = ({ name, audiences }: (typeof worker.exports)[number]) =>
    audiences !== undefined || classes.includes(name)
  // Another class may be an entrypoint, which a service binding names.
  if (!worker.exports.every(isObject)) return []
  const names = worker.exports.map(({ name }) => quoted(name)).join(', ')
  return [detected('worker-without-handler', `It exports ${names === '' ? 'nothing' : names}`)]
}
