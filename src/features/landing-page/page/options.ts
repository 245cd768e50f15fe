/** The options of the page at `/`. */

export interface LandingPageOptions {
  /**
   * Whether the page has the tools, resources and prompts. `everyone`: with what an anonymous caller sees.
   * `signed-in`: only for a person who is signed in, with what their apps may use. `none`: never. Default:
   * `everyone` where anonymous callers are served, otherwise `signed-in`.
   */
  readonly lists?: 'everyone' | 'signed-in' | 'none'
  /** Whether the page shows the instructions, which are written for models. Default false. */
  readonly instructions?: boolean
}

const LISTS: readonly unknown[] = [undefined, 'everyone', 'signed-in', 'none']

/** @throws {TypeError} that begins with the option. A caller without types may pass anything. */
export function checkLandingPage(option: unknown): void {
  if (option === undefined || option === false) return
  if (typeof option !== 'object' || option === null) {
    throw new TypeError('landingPage must be false or an object')
  }
  const { lists, instructions, ...others } = option as Readonly<Record<string, unknown>>
  if (!LISTS.includes(lists)) {
    throw new TypeError('landingPage.lists must be "everyone", "signed-in" or "none"')
  }
  if (instructions !== undefined && typeof instructions !== 'boolean') {
    throw new TypeError('landingPage.instructions must be true or false')
  }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`landingPage.${unknown} does not exist`)
}
