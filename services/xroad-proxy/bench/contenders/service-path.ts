/** The one service that hand-written contenders know, and who calls it. */

/** Before the path of the request. */
export const servicePath = '/r1/ee-test/GOV/70000002/register'

export const client = 'ee-test/GOV/70000001/bench'
