/** Restricts a tool, resource or prompt to some callers. */
import type { AuthInfo, GrantProps } from '../protocol/auth-info.ts'

/**
 * Decides whether a principal sees a definition; `undefined` is an anonymous caller. A definition that
 * is not visible is answered like one that does not exist. The result must depend on the principal
 * alone, because lists are cached by it. If it throws, the definition is hidden and telemetry gets a
 * `handler-error`.
 */
export type Visible<Props = GrantProps> = (auth: AuthInfo<Props> | undefined) => boolean
