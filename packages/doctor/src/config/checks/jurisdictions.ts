/** Check: the objects of each server and the bucket of files are in one jurisdiction. */
import { JURISDICTIONS } from '../../../../../src/ports/jurisdictions.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { detected } from '../../doctor/detected.ts'
import type { Check } from '../project-observations.ts'
import { hasOwnObjects } from './objects.ts'

export const JURISDICTION_VARIABLE = 'EDGEWAY_JURISDICTION'

const BUCKET_BINDING = 'MCP_FILES'

export const jurisdictions: Check = ({ config }, { worker }) => {
  const { [JURISDICTION_VARIABLE]: value } = config.vars
  const variable = value === undefined || value === '' ? undefined : String(value)
  if (variable !== undefined && !JURISDICTIONS.includes(variable)) {
    const text = `${JURISDICTION_VARIABLE} is ${quoted(variable)}`
    return [detected('jurisdiction-unknown', text)]
  }
  const apps = (worker?.apps ?? [])
    .filter(hasOwnObjects)
    .map(({ audience, jurisdiction = variable }) => ({
      what: `the objects of ${quoted(audience)}`,
      place: jurisdiction,
    }))
  if (apps.length === 0) return []
  // The variable may also be set in the dashboard.
  const known = apps.filter(({ place }) => place !== undefined || config.keep_vars !== true)
  const buckets = config.r2_buckets
    .filter(({ binding }) => binding === BUCKET_BINDING)
    .map(({ binding, jurisdiction }) => ({
      what: `the bucket ${quoted(binding)}`,
      place: jurisdiction,
    }))
  const set = variable === undefined ? [] : [{ what: JURISDICTION_VARIABLE, place: variable }]
  const all = [...known, ...set, ...buckets]
  if (new Set(all.map(({ place }) => place)).size < 2) return []
  const texts = all.map(({ what, place = 'none' }) => `${what}: ${place}`)
  return [detected('jurisdictions-differ', [...new Set(texts)].join(', '))]
}
