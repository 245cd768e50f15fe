/**
 * The jurisdictions of the platform.
 *
 * @see https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
export const JURISDICTIONS: readonly string[] = ['eu', 'us', 'fedramp', 'fedramp-high']
