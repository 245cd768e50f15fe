/** Check: the limits of clients on tools, and the scopes. */
import { type Detected, detected } from '../../doctor/detected.ts'
import { toolFaults } from '../../doctor/steps/tools.ts'
import { firstOf, printable } from '../../doctor/text.ts'
import type { ProjectObservations } from '../project-observations.ts'

/** The definitions are those of every environment. */
export function definitionFaults({ worker }: ProjectObservations): readonly Detected[] {
  return (worker?.apps ?? []).flatMap(({ tools = [], auth, scoped }) => {
    const faults: Detected[] = [...toolFaults(tools)]
    if (auth === undefined && scoped.length > 0) {
      const named = firstOf(scoped.map((text) => printable(text)))
      faults.push(detected('scope-without-authorization', named))
    }
    return faults
  })
}
