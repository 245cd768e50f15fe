/** `edgeway/landing-page`: the feature, its options and its types. */
export { type LandingPage, landingPage } from './landing-page.ts'
export type { LandingPageOptions } from './page/options.ts'
