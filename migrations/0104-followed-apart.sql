-- An account whose effects are many is followed apart for a while, by a cursor of its own.
grant delete on follower to posthorn_system;
