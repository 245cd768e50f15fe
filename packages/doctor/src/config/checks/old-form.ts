/** Check: the project has one class for all kinds of objects, and not a class for each kind as before. */

import { quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import { OLD_BINDINGS, OLD_EXPORT } from '../object-classes.ts'
import type { ProjectObservations } from '../project-observations.ts'
import { isMissing, ownBindings } from './objects.ts'

/** Undefined for a project in the present form. A class that the main module exports is the author's own. */
export function oldForm({
  environments,
  worker,
  failure,
}: ProjectObservations): Detected | undefined {
  const bindings = environments
    .flatMap(ownBindings)
    .filter(({ name, class_name: className }) => {
      const isExported = worker !== undefined && !isMissing(className, worker)
      return OLD_BINDINGS.includes(name) && !isExported
    })
    .map(({ name }) => name)
  const names = new Set([...bindings, ...(OLD_EXPORT.exec(failure?.message ?? '') ?? [])])
  return names.size === 0
    ? undefined
    : detected('objects-old-form', [...names].map(quoted).join(', '))
}
