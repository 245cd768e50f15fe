/** `landingPage()` with the options of a test; `false` for none. */
import { type LandingPageOptions, landingPage } from '../../../src/features/landing-page/index.ts'

export const landingPageOf = (options?: LandingPageOptions | false) =>
  options !== false && landingPage(options)

export type { LandingPageOptions }
