/** Compatibility dates: `YYYY-MM-DD`. */

const today = (): string => new Date().toISOString().slice(0, 10)

/** Whether a deployment accepts it. */
export function isDeployableDate(date: string | undefined): date is string {
  if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) return false
  return !Number.isNaN(Date.parse(date)) && date <= today()
}

/** The date, or that of today in place of one that no deployment accepts. */
export const deployableDate = (date: string | undefined): string =>
  isDeployableDate(date) ? date : today()
