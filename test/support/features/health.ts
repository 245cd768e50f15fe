/** `health()` at the path of a test; `false` for none. */
import { health } from '../../../src/features/health/index.ts'

export const healthOf = (path?: string | false) =>
  path !== false && health(path === undefined ? {} : { path })
