/** The origin of a URL that the platform has parsed already. */

/** Length of `http://`: no slash before it ends the origin. */
const SCHEME_LENGTH = 7

/** @param url as `Request.url` has it: absolute, http or https, with a path */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', SCHEME_LENGTH + 1))
}
