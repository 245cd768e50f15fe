/** Who sees a definition. */
import type { AuthInfo } from '../protocol/auth-info.ts'

/**
 * Whether a principal sees a definition. Undefined stands for an anonymous caller. What is not
 * visible is answered exactly as what does not exist.
 */
export type Visible = (auth: AuthInfo | undefined) => boolean
