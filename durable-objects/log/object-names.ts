/** Names of the log objects of one server of the Worker. */

/** The object that stores the connection timeline. @param server its audience */
export function timelineName(server: string): string {
  return `timeline-${server}`
}

/** The object that stores what the inspector shows: its readers are the owners of that server. */
export function trafficName(server: string): string {
  return `traffic-${server}`
}
