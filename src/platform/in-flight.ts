// What is under way, for members that come and go quickly, such as requests.
//
// A Map or Set would do, but it costs: V8 replaces the table of one that many entries pass through, and the replaced table keeps
// a reference to its successor. Once a replaced table is in the old generation, every later one survives with all that was in
// it when it was replaced, and only a full collection frees them (figures: docs/measurements.md). Here nothing refers to a member
// that has left.

export interface InFlight<Member> extends Iterable<Member> {
  /** @returns takes the member out again; further calls do nothing */
  add(member: Member): () => void
}

export function inFlightMembers<Member>(): InFlight<Member> {
  const places: { readonly member: Member; at: number }[] = []
  return {
    add: (member) => {
      const place = { member, at: places.length }
      places.push(place)
      return () => {
        if (places[place.at] !== place) return
        // The last one takes the place that becomes free.
        const last = places.pop() ?? place
        if (last === place) return
        last.at = place.at
        places[last.at] = last
      }
    },
    *[Symbol.iterator]() {
      for (const { member } of places) yield member
    },
  }
}
