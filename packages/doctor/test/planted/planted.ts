/**
 * Faults that were planted from the known behaviour of clients, before the codes of the doctor were read. The doctor names
 * each by its own code.
 */
import type { FaultCode } from '../../../faults/src/faults.ts'
import type { Defect } from '../reference-server.ts'

export interface Planted {
  /** Completes "the doctor names the fault when". */
  readonly when: string
  readonly fault: FaultCode
  readonly defect: Defect
}

/** Both defects at once, the first one in front of the second. */
export const both =
  (first: Defect, second: Defect): Defect =>
  async (request, next, origin) => {
    const answer = await second(request, next, origin)
    return first(request, () => answer, origin)
  }
