/** Every check of the answers of a server, by the code of the fault that it finds. */
import type { Answer } from '../../../../faults/src/checks/answer.ts'
import { CHECKS as SHARED_CHECKS } from '../../../../faults/src/checks/checks.ts'
import { ENDPOINT_CHECKS } from './endpoint-checks.ts'
import type { Evidence } from './evidence.ts'
import type { DiscoveryCode, FaultCode, SignInCode } from './fault-code.ts'
import { SIGN_IN_CHECKS } from './sign-in-checks.ts'

type Check = (evidence: Evidence) => Answer | undefined

const CHECKS = { ...ENDPOINT_CHECKS, ...SHARED_CHECKS, ...SIGN_IN_CHECKS } satisfies Readonly<
  Partial<Record<FaultCode, Check>> & Record<DiscoveryCode | SignInCode, Check>
>

/** The code of a fault that has a check. */
export type CheckedCode = keyof typeof CHECKS

/** In the order in which findings are listed. */
export const CHECKED_CODES = Object.keys(CHECKS) as readonly CheckedCode[]

/** Undefined without evidence, and for a fault that has no check. */
export function check(code: FaultCode, evidence: Evidence): Answer | undefined {
  const checks: Readonly<Partial<Record<FaultCode, Check>>> = CHECKS
  return checks[code]?.(evidence)
}
