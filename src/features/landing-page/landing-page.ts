/**
 * `landingPage()`: the page for people at `/`, and its machine-readable form.
 *
 * A route of the author wins, also one that is added later. The lists are those of the definition, and not of methods,
 * which run code of the author; behind authorization strangers see them by `lists: 'everyone'` alone, because names of
 * tools can tell what a company does. A bearer token is ignored.
 */

import { createFeature } from '../../feature/create-feature.ts'
import type { Feature } from '../../feature/feature.ts'
import { servePage } from './page/landing-page.ts'
import { checkLandingPage, type LandingPageOptions } from './page/options.ts'

export type LandingPage = Feature<'landingPage'>

/**
 * What the server offers, and how to add it to clients. A route of the author at `/` of `app` replaces it.
 *
 * @throws {TypeError} for an invalid option
 */
export function landingPage(options: LandingPageOptions = {}): LandingPage {
  checkLandingPage(options)
  return createFeature('landingPage', (app) => ({
    routes: () => [{ path: '/', handle: servePage(app, options), givesWay: true }],
  }))
}
